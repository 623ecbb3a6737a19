"""The decoders: what a record can be, in the order in which `auto` tries them.

A new encoding is one module and one entry here; see ingest/README.md.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from pydantic import JsonValue

from tracemill.ingest.decoded import Context, Decoded
from tracemill.ingest.decoders import langfuse, langsmith, mlflow
from tracemill.ingest.decoders.anthropic import decode_anthropic, is_anthropic
from tracemill.ingest.decoders.chat import decode_chat, decode_mapped
from tracemill.ingest.decoders.feedback import (
    decode_feedback,
    decode_mapped_feedback,
    is_feedback,
)
from tracemill.ingest.decoders.otlp import decode_logs, decode_metrics, decode_traces
from tracemill.ingest.decoders.responses import decode_responses, is_responses
from tracemill.ingest.decoders.sdk_spans import decode_span, is_span
from tracemill.ingest.decoders.sharegpt import decode_sharegpt, is_sharegpt
from tracemill.ingest.decoders.verifiers import decode_verifiers, is_verifiers


class JsonDecoder(NamedTuple):
    """One encoding of a JSON record."""

    recognises: Callable[[dict[str, Any]], bool]
    decode: Callable[[Any, Context], Decoded]


def _has(*names: str) -> Callable[[dict[str, Any]], bool]:
    return lambda value: any(name in value for name in names)


def _never(value: dict[str, Any]) -> bool:
    return False


def _is_chat(value: dict[str, Any]) -> bool:
    request = value.get("request")
    messages = value.get("messages") or (
        request.get("messages") if isinstance(request, dict) else 0
    )
    return isinstance(messages, list) and all(isinstance(item, dict) for item in messages)


JSON_DECODERS: dict[str, JsonDecoder] = {
    "mapped": JsonDecoder(_never, decode_mapped),
    "mapped-feedback": JsonDecoder(_never, decode_mapped_feedback),
    "otlp": JsonDecoder(_has("resourceSpans", "resource_spans"), decode_traces),
    "otlp-logs": JsonDecoder(_has("resourceLogs", "resource_logs"), decode_logs),
    "otlp-metrics": JsonDecoder(_has("resourceMetrics", "resource_metrics"), decode_metrics),
    "langfuse": JsonDecoder(langfuse.is_batch, langfuse.decode_batch),
    "langfuse-export": JsonDecoder(langfuse.is_export, langfuse.decode_export),
    "langfuse-score": JsonDecoder(langfuse.is_score, langfuse.decode_score),
    "mlflow": JsonDecoder(mlflow.is_trace, mlflow.decode_trace),
    "mlflow-assessment": JsonDecoder(mlflow.is_assessment, mlflow.decode_assessment),
    "langsmith": JsonDecoder(langsmith.is_runs, langsmith.decode_runs),
    "langsmith-feedback": JsonDecoder(langsmith.is_feedback, langsmith.decode_feedback),
    "verifiers": JsonDecoder(is_verifiers, decode_verifiers),
    "otel-sdk": JsonDecoder(is_span, decode_span),
    "feedback": JsonDecoder(is_feedback, decode_feedback),
    "sharegpt": JsonDecoder(is_sharegpt, decode_sharegpt),
    "responses": JsonDecoder(is_responses, decode_responses),
    "anthropic": JsonDecoder(is_anthropic, decode_anthropic),
    "chat": JsonDecoder(_is_chat, decode_chat),
}
"""Name (as in the settings) → how it is told by content, and how it is read."""

REDACTS_ITSELF = frozenset(("otlp", "otlp-logs", "otlp-metrics", "otel-sdk"))
"""These redact what they keep, and drop the rest; the record's ids stay as they are."""


def recognise(value: JsonValue) -> str | None:
    """Return the name of the first decoder that knows this JSON; None if none does."""
    if not isinstance(value, dict):
        return None
    return next((name for name, d in JSON_DECODERS.items() if d.recognises(value)), None)
