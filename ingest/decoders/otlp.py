"""OTLP/JSON and OTLP protobuf, as the OpenTelemetry Collector's Kafka exporter writes them.

Format: opentelemetry-proto, docs/specification.md "JSON Protobuf Encoding". Ids are hex there, but
base64 is seen too; 64-bit numbers may be strings; unknown fields are to be ignored. One record
holds spans of many traces, or log records, some of which carry messages (OTel GenAI to v1.36).
"""

import base64
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from tracemill.errors import InvalidRecordError
from tracemill.ingest.decoded import Context, Decoded
from tracemill.ingest.decoders.cleaning import clean
from tracemill.ingest.decoders.evaluations import EVALUATION, add_feedback
from tracemill.ingest.decoders.otlp_scope import Scope, add_spans, shared_by
from tracemill.ingest.redact import Redactor
from tracemill.ingest.span import Span, SpanEvent

KEPT_LOGS = ("gen_ai.", "exception", "traceloop.", "llm.")
"""Log records whose event name begins so belong to a trace; others are mere log lines."""
DROPPED = frozenset(("droppedAttributesCount", "droppedEventsCount", "droppedLinksCount"))
PARENT_IS_REMOTE = 0x300
"""`flags`: it is known, and true, that the parent span lives in another process."""

LOG_IDS = (("traceId", "trace_id"), ("spanId", "span_id"))

Fields = dict[str, Any]


def decode_traces(value: Fields, context: Context) -> Decoded:
    """Return the spans of an OTLP/JSON trace request."""
    decoded = Decoded("otlp")
    for r, resource in enumerate(_get(value, "resourceSpans", "resource_spans")):
        named = _attributes((resource.get("resource") or {}).get("attributes"))
        shared = shared_by(named, context.redactor)
        for s, scoped in enumerate(_get(resource, "scopeSpans", "scope_spans")):
            scope = str((scoped.get("scope") or {}).get("name") or "")
            place = f"resourceSpans[{r}].scopeSpans[{s}].spans"
            read = _reader(scope, context.redactor)
            spans = decoded.each(place, enumerate(_get(scoped, "spans")), read)
            add_spans(Scope(place, spans, shared), decoded, context)
    return decoded


def decode_logs(value: Fields, context: Context) -> Decoded:
    """Return what the log records of an OTLP/JSON request say of spans; others are ignored."""
    decoded = Decoded("otlp-logs")
    for r, resource in enumerate(_get(value, "resourceLogs", "resource_logs")):
        for s, scoped in enumerate(_get(resource, "scopeLogs", "scope_logs")):
            for i, fields in enumerate(_get(scoped, "logRecords", "log_records")):
                with decoded.part(f"resourceLogs[{r}].scopeLogs[{s}].logRecords[{i}]"):
                    add_log(_log(fields, context.redactor), decoded, context)
    return decoded


def decode_metrics(value: Fields, context: Context) -> Decoded:
    """Count the metrics, which are no traces."""
    return Decoded("otlp-metrics", ignored=len(_get(value, "resourceMetrics", "resource_metrics")))


def add_log(said: Span | None, decoded: Decoded, context: Context) -> None:
    """Add what a log record says of a span, or count a log line that says nothing.

    An evaluation is feedback; whatever else it says belongs to its span.
    """
    if said is None:
        decoded.ignored += 1
        return
    add_feedback(said, decoded, context)
    said.events = [event for event in said.events if event.name != EVALUATION]
    if said.events:
        decoded.spans.append(said)


def _get(fields: Fields, *names: str) -> list[Any]:
    return next((fields[name] for name in names if fields.get(name)), [])


def _reader(scope: str, redactor: Redactor) -> Callable[[Fields], Span]:
    return lambda fields: _span(fields, scope, redactor)


def _span(fields: Fields, scope: str, redactor: Redactor) -> Span:
    """Return the span, with its attributes as they came."""
    # this function runs most often of all, so the empty is not looked into
    status = fields.get("status")
    parent = fields.get("parentSpanId") or fields.get("parent_span_id")
    events, links, flags = fields.get("events"), fields.get("links"), fields.get("flags")
    return Span(
        trace_id=_read_again(fields.get("traceId") or fields.get("trace_id"), 16),
        span_id=read_id(fields.get("spanId") or fields.get("span_id"), 8),
        parent_id=_parent(parent) if parent else None,
        name=redactor.text(str(fields.get("name", ""))),
        start_ns=int(fields.get("startTimeUnixNano") or fields.get("start_time_unix_nano") or 0),
        end_ns=int(fields.get("endTimeUnixNano") or fields.get("end_time_unix_nano") or 0),
        error=read_error(status.get("code"), status.get("message"), redactor) if status else None,
        attributes=_attributes(fields.get("attributes")),
        events=[_event(event, redactor) for event in events] if events else [],
        links=[_link(link) for link in links] if links else [],
        scope=scope,
        dropped=0 if DROPPED.isdisjoint(fields) else _dropped(fields),
        is_local_root=int(flags or 0) & PARENT_IS_REMOTE == PARENT_IS_REMOTE,
    )


def _dropped(fields: Fields) -> int:
    return sum(int(fields.get(name) or 0) for name in DROPPED)


def _field(fields: Fields, camel: str, snake: str) -> Any:
    value = fields.get(camel)
    return fields.get(snake) if value is None else value


def read_id(text: Any, size: int) -> str:
    """Return the id of `size` bytes as lower-case hex.

    Raises InvalidRecordError if it is neither hex nor base64 of that size, or all zero.
    """
    try:
        raw = (
            bytes.fromhex(text) if len(text) == 2 * size else base64.b64decode(text, validate=True)
        )
    except (ValueError, TypeError) as error:
        raise InvalidRecordError(f"{text!r} is no id of {size} bytes") from error
    if len(raw) != size or raw == bytes(size):
        raise InvalidRecordError(f"{text!r} is no id of {size} bytes")
    return raw.hex()


_read_again = lru_cache(maxsize=4096)(read_id)
"""For ids that many spans have."""


def _parent(text: str) -> str | None:
    return _read_again(text, 8) if text.strip("0A=") else None


def read_error(code: Any, message: str | None, redactor: Redactor) -> str | None:
    """Return the message of an error status ("error" if it has none), None of any other."""
    if code not in (2, "2", "STATUS_CODE_ERROR", "ERROR"):
        return None
    return redactor.text(message) if message else "error"


def _attributes(pairs: Iterable[Fields] | None) -> Fields:
    return {
        pair["key"]: value["stringValue"]  # as nearly all are
        if "stringValue" in (value := pair.get("value") or {})
        else read_value(value)
        for pair in pairs or ()
    }


def read_value(value: Fields) -> Any:
    """Return the JSON value that an OTLP AnyValue holds."""
    for kind, inner in value.items():
        read = READERS.get(kind)
        return None if read is None else read(inner)
    return None


def _array(inner: Fields) -> list[Any]:
    return [read_value(item) for item in inner.get("values") or ()]


def _mapping(inner: Fields) -> Fields:
    return _attributes(inner.get("values"))


def _as_it_is(inner: Any) -> Any:
    return inner


READERS: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("intValue", "int_value"), int),
    **dict.fromkeys(("arrayValue", "array_value"), _array),
    **dict.fromkeys(("kvlistValue", "kvlist_value"), _mapping),
    **dict.fromkeys(
        ("stringValue", "boolValue", "doubleValue", "bytesValue",
         "string_value", "bool_value", "double_value", "bytes_value"),
        _as_it_is,
    ),
}  # fmt: skip
"""The kinds of an AnyValue, by both names that JSON has for each; another kind holds nothing."""


def _event(fields: Fields, redactor: Redactor) -> SpanEvent:
    return SpanEvent(
        name=str(fields.get("name", "")),
        time_ns=int(_field(fields, "timeUnixNano", "time_unix_nano") or 0),
        attributes=clean(_attributes(fields.get("attributes")), redactor),
    )


def _link(fields: Fields) -> tuple[str, str]:
    trace_id = read_id(_field(fields, "traceId", "trace_id"), 16)
    return trace_id, read_id(_field(fields, "spanId", "span_id"), 8)


def _log(fields: Fields, redactor: Redactor) -> Span | None:
    attributes = _attributes(fields.get("attributes"))
    name = _field(fields, "eventName", "event_name") or attributes.get("event.name") or ""
    if not str(name).startswith(KEPT_LOGS):
        return None
    time_ns = int(_field(fields, "timeUnixNano", "time_unix_nano") or 0)
    seen_ns = int(_field(fields, "observedTimeUnixNano", "observed_time_unix_nano") or 0)
    body = redactor.value(read_value(fields.get("body") or {}))
    trace_id, span_id = (_field(fields, *names) for names in LOG_IDS)
    # an evaluation may name a response instead of a span
    is_nameless = str(name) == EVALUATION and not span_id
    return log_span(
        trace_id="" if is_nameless else read_id(trace_id, 16),
        span_id="" if is_nameless else read_id(span_id, 8),
        event=SpanEvent(str(name), time_ns or seen_ns, clean(attributes, redactor), body),
    )


def log_span(trace_id: str, span_id: str, event: SpanEvent) -> Span:
    """Return what a log record says of the span that it names."""
    return Span(trace_id=trace_id, span_id=span_id, events=[event], is_partial=True)
