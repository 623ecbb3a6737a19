"""Spans as OpenTelemetry's SDKs print them: Python's `to_json`, JavaScript's console and memory.

JavaScript's times are [seconds, nanoseconds], Python's ISO 8601; Python's ids begin with 0x.
"""

from typing import Any

from tracemill.ingest.decoded import Context, Decoded
from tracemill.ingest.decoders.cleaning import clean
from tracemill.ingest.decoders.evaluations import add_feedback
from tracemill.ingest.decoders.otlp import read_error, read_id
from tracemill.ingest.redact import Redactor
from tracemill.ingest.span import Span, SpanEvent
from tracemill.ingest.times import to_nanoseconds

Fields = dict[str, Any]


def is_span(value: Fields) -> bool:
    """Whether it is one span as an SDK prints it."""
    context = value.get("spanContext", value.get("context"))
    return isinstance(context, dict) and isinstance(value.get("attributes"), dict)


def decode_span(value: Fields, context: Context) -> Decoded:
    """Return the span."""
    span = _span(value, context.redactor)
    decoded = Decoded("otel-sdk", spans=[span])
    add_feedback(span, decoded, context)
    return decoded


def _span(value: Fields, redactor: Redactor) -> Span:
    ids = value.get("spanContext") or value.get("context") or {}
    parent = value.get("parentSpanId", value.get("parent_id"))
    parent = parent or (value.get("parentSpanContext") or {}).get("spanId")
    status = value.get("status") or {}
    library = value.get("instrumentationScope") or value.get("instrumentationLibrary") or {}
    return Span(
        trace_id=_id(ids.get("traceId", ids.get("trace_id")), 16),
        span_id=_id(ids.get("spanId", ids.get("span_id")), 8),
        parent_id=_id(parent, 8) if parent else None,
        name=redactor.text(str(value.get("name", ""))),
        start_ns=_time(value.get("startTime", value.get("start_time"))),
        end_ns=_time(value.get("endTime", value.get("end_time"))),
        error=read_error(
            status.get("code", status.get("status_code")),
            status.get("message", status.get("description")),
            redactor,
        ),
        attributes=clean(value["attributes"], redactor),
        events=[_event(event, redactor) for event in value.get("events") or ()],
        scope=str(library.get("name") or ""),
        dropped=int(value.get("droppedAttributesCount") or 0),
    )


def _id(text: Any, size: int) -> str:
    return read_id(str(text).removeprefix("0x"), size)


def _time(value: Any) -> int:
    if isinstance(value, list):
        seconds, nanoseconds = value
        return int(seconds) * 1_000_000_000 + int(nanoseconds)
    return to_nanoseconds(value)


def _event(fields: Fields, redactor: Redactor) -> SpanEvent:
    return SpanEvent(
        name=str(fields.get("name", "")),
        time_ns=_time(fields.get("time", fields.get("timestamp"))),
        attributes=clean(fields.get("attributes") or {}, redactor),
    )
