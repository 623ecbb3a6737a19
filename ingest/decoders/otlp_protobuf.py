"""OTLP protobuf: the same spans and log records as OTLP/JSON, in the Collector's default encoding.

Random bytes parse as protobuf now and then, so a request counts only if its ids are sound.
"""

from functools import partial
from typing import Any

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from pydantic import JsonValue

from tracemill.errors import InvalidRecordError
from tracemill.ingest.decoded import Context, Decoded
from tracemill.ingest.decoders.cleaning import clean
from tracemill.ingest.decoders.evaluations import EVALUATION
from tracemill.ingest.decoders.otlp import (
    KEPT_LOGS,
    PARENT_IS_REMOTE,
    add_log,
    log_span,
    read_error,
)
from tracemill.ingest.decoders.otlp_scope import Scope, add_spans, shared_by
from tracemill.ingest.redact import Redactor
from tracemill.ingest.span import Span, SpanEvent


def decode_protobuf(data: bytes, context: Context) -> Decoded | None:
    """Return the spans or log records of an OTLP protobuf request; None if it is none."""
    traces = _parse(ExportTraceServiceRequest, data)
    if traces is not None and any(
        _is_sound(span) for spans in traces.resource_spans for scoped in spans.scope_spans
        for span in scoped.spans
    ):  # fmt: skip
        return _traces(traces, context)
    logs = _parse(ExportLogsServiceRequest, data)
    if logs is not None and any(
        scoped.log_records and (record.time_unix_nano or record.observed_time_unix_nano)
        for group in logs.resource_logs for scoped in group.scope_logs
        for record in scoped.log_records
    ):  # fmt: skip
        return _logs(logs, context)
    return None


def _parse(kind: Any, data: bytes) -> Any | None:
    try:
        return kind.FromString(data)
    except DecodeError:
        return None


def _is_sound(span: Any) -> bool:
    return (
        len(span.trace_id) == 16
        and len(span.span_id) == 8
        and any(span.trace_id)
        and any(span.span_id)
        and span.start_time_unix_nano > 0
    )


def _traces(request: Any, context: Context) -> Decoded:
    decoded = Decoded("otlp-protobuf")
    for r, resource in enumerate(request.resource_spans):
        named = {pair.key: _value(pair.value) for pair in resource.resource.attributes}
        shared = shared_by(named, context.redactor)
        for s, scoped in enumerate(resource.scope_spans):
            place = f"resourceSpans[{r}].scopeSpans[{s}].spans"
            read = partial(_span, scope=scoped.scope.name, redactor=context.redactor)
            spans = decoded.each(place, enumerate(scoped.spans), read)
            add_spans(Scope(place, spans, shared), decoded, context)
    return decoded


def _span(message: Any, scope: str, redactor: Redactor) -> Span:
    if not _is_sound(message):
        raise InvalidRecordError("a span without sound ids and start time")
    parent = message.parent_span_id
    return Span(
        trace_id=message.trace_id.hex(),
        span_id=message.span_id.hex(),
        parent_id=parent.hex() if any(parent) else None,
        name=redactor.text(message.name),
        start_ns=message.start_time_unix_nano,
        end_ns=message.end_time_unix_nano,
        error=read_error(message.status.code, message.status.message, redactor),
        attributes=_raw_attributes(message.attributes),
        events=[
            SpanEvent(event.name, event.time_unix_nano, _attributes(event.attributes, redactor))
            for event in message.events
        ],
        links=[(link.trace_id.hex(), link.span_id.hex()) for link in message.links],
        scope=scope,
        dropped=message.dropped_attributes_count
        + message.dropped_events_count
        + message.dropped_links_count,
        is_local_root=message.flags & PARENT_IS_REMOTE == PARENT_IS_REMOTE,
    )


def _attributes(pairs: Any, redactor: Redactor) -> dict[str, JsonValue]:
    return clean(_raw_attributes(pairs), redactor)


def _raw_attributes(pairs: Any) -> dict[str, Any]:
    return {pair.key: _value(pair.value) for pair in pairs}


def _value(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind is None:
        return None
    inner = getattr(value, kind)
    if kind == "array_value":
        return [_value(item) for item in inner.values]
    if kind == "kvlist_value":
        return {pair.key: _value(pair.value) for pair in inner.values}
    return inner.hex() if kind == "bytes_value" else inner


def _logs(request: Any, context: Context) -> Decoded:
    decoded = Decoded("otlp-logs-protobuf")
    for r, resource in enumerate(request.resource_logs):
        for s, scoped in enumerate(resource.scope_logs):
            for i, message in enumerate(scoped.log_records):
                with decoded.part(f"resourceLogs[{r}].scopeLogs[{s}].logRecords[{i}]"):
                    add_log(_log(message, context.redactor), decoded, context)
    return decoded


def _log(message: Any, redactor: Redactor) -> Span | None:
    attributes = _attributes(message.attributes, redactor)
    name = message.event_name or str(attributes.get("event.name") or "")
    if not name.startswith(KEPT_LOGS):
        return None
    is_nameless = name == EVALUATION and not message.span_id
    if not is_nameless and (len(message.trace_id) != 16 or len(message.span_id) != 8):
        raise InvalidRecordError("a log record of a span without sound ids")
    time_ns = message.time_unix_nano or message.observed_time_unix_nano
    body = redactor.value(_value(message.body))
    event = SpanEvent(name, time_ns, attributes, body)
    return log_span(message.trace_id.hex(), message.span_id.hex(), event)
