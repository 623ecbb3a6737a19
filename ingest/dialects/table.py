"""The dialects, in the order in which they are tried: the first that knows a span reads it."""

from tracemill.ingest.dialects.dialect import Dialect
from tracemill.ingest.dialects.genai import GENAI

DIALECTS: tuple[Dialect, ...] = (GENAI,)
