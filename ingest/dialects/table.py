"""The dialects, in the order in which they are tried: the first that knows a span reads it.

Those with names of their own come first; the GenAI conventions, whose names the others borrow,
come last. A new dialect is one module and one entry here; see ingest/README.md.
"""

from functools import lru_cache

from tracemill.ingest.dialects.dialect import Dialect, SpanKind
from tracemill.ingest.dialects.genai import GENAI
from tracemill.ingest.dialects.google_adk import GOOGLE_ADK
from tracemill.ingest.dialects.langfuse import LANGFUSE
from tracemill.ingest.dialects.langsmith import LANGSMITH
from tracemill.ingest.dialects.mlflow import MLFLOW
from tracemill.ingest.dialects.openinference import OPENINFERENCE
from tracemill.ingest.dialects.openllmetry import OPENLLMETRY
from tracemill.ingest.dialects.pydantic_ai import PYDANTIC_AI
from tracemill.ingest.dialects.vercel import VERCEL
from tracemill.ingest.span import Span

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
HISTORIES = frozenset(each.history for each in DIALECTS if each.history is not None)
"""Attributes that hold a model call's whole history."""


def dialect_of(span: Span) -> tuple[Dialect | None, SpanKind]:
    """Return the dialect that a span is written in, and what it is there; None, and "other"."""
    for dialect in _candidates(span.scope, *span.attributes):
        kind = dialect.kind(span)
        if kind is not None:
            return dialect, kind
    return None, "other"


@lru_cache(maxsize=4096)
def _candidates(scope: str, *names: str) -> tuple[Dialect, ...]:
    """Return the dialects that a span of this scope with attributes of these names may be in."""
    return tuple(
        d for d in DIALECTS if d.marks is None or d.scope == scope or not d.marks.isdisjoint(names)
    )
