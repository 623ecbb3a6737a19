"""The dialects, in the order in which they are tried: the first that knows a span reads it.

Those with names of their own come first; the GenAI conventions, whose names the others borrow,
come last. A new dialect is one module and one entry here; see ingest/README.md.
"""

from tracemill.ingest.dialects.dialect import Dialect
from tracemill.ingest.dialects.genai import GENAI
from tracemill.ingest.dialects.google_adk import GOOGLE_ADK
from tracemill.ingest.dialects.langfuse import LANGFUSE
from tracemill.ingest.dialects.langsmith import LANGSMITH
from tracemill.ingest.dialects.mlflow import MLFLOW
from tracemill.ingest.dialects.openinference import OPENINFERENCE
from tracemill.ingest.dialects.openllmetry import OPENLLMETRY
from tracemill.ingest.dialects.pydantic_ai import PYDANTIC_AI
from tracemill.ingest.dialects.vercel import VERCEL

DIALECTS: tuple[Dialect, ...] = (
    LANGFUSE,
    MLFLOW,
    OPENINFERENCE,
    LANGSMITH,
    VERCEL,
    PYDANTIC_AI,
    GOOGLE_ADK,
    OPENLLMETRY,
    GENAI,
)
