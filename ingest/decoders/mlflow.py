"""MLflow: traces as `Trace.to_json()` writes them, and assessments.

Ids are base64 in spans and `tr-` with hex in the trace's info; each attribute value is JSON text.
Source: mlflow 3.17.2.
"""

import base64
from typing import Any

import orjson
from pydantic import JsonValue

from tracemill.errors import InvalidRecordError
from tracemill.ingest.decoded import Context, Decoded
from tracemill.ingest.decoders.cleaning import clean
from tracemill.ingest.decoders.feedback import as_share, read_correction
from tracemill.ingest.dialects.attributes import tenant_in
from tracemill.ingest.redact import Redactor
from tracemill.ingest.span import Span, SpanEvent
from tracemill.ingest.times import read_time
from tracemill.ingest.trace import Feedback, FeedbackSource
from tracemill.record import content_id

SOURCES: dict[str, FeedbackSource] = {
    "HUMAN": "user", "LLM_JUDGE": "judge", "AI_JUDGE": "judge", "CODE": "code",
}  # fmt: skip

Fields = dict[str, Any]


def is_trace(value: Fields) -> bool:
    """Whether it is a trace with its spans."""
    data = value.get("data")
    return isinstance(value.get("info"), dict) and isinstance(data, dict) and "spans" in data


def is_assessment(value: Fields) -> bool:
    """Whether it is an assessment, alone or in the API's wrapper."""
    inner = value.get("assessment")
    return "assessment_name" in (inner if isinstance(inner, dict) else value)


def decode_trace(value: Fields, context: Context) -> Decoded:
    """Return the spans and assessments of a trace."""
    decoded = Decoded("mlflow")
    info = value["info"]
    trace_id = hex_id(str(info.get("trace_id") or info["request_id"]))
    metadata = {**(info.get("tags") or {}), **(info.get("trace_metadata") or {})}
    shared = _shared(metadata, context.redactor)
    for index, fields in enumerate(value["data"]["spans"]):
        with decoded.part(f"data.spans[{index}]"):
            span = _span(fields, trace_id, context.redactor)
            span.attributes = {**shared, **span.attributes}
            decoded.spans.append(span)
    for index, fields in enumerate(info.get("assessments") or ()):
        with decoded.part(f"info.assessments[{index}]"):
            _add_assessment({"trace_id": trace_id, **fields}, decoded, context)
    return decoded


def decode_assessment(value: Fields, context: Context) -> Decoded:
    """Return the feedback of an assessment."""
    decoded = Decoded("mlflow-assessment")
    _add_assessment(value.get("assessment") or value, decoded, context)
    return decoded


def _shared(metadata: Fields, redactor: Redactor) -> dict[str, JsonValue]:
    user, tenant = metadata.get("mlflow.trace.user"), tenant_in(metadata)
    shared: dict[str, JsonValue] = {
        "mlflow.trace.session": metadata.get("mlflow.trace.session"),
        "mlflow.trace.user": redactor.pseudonym(str(user)) if user else None,
        "tenant.id": redactor.pseudonym(tenant, "tenant") if tenant else None,
        "mlflow.traceTag.mlflow.traceName": metadata.get("mlflow.traceName"),
    }
    return {name: value for name, value in shared.items() if value is not None}


def hex_id(trace_id: str) -> str:
    """Return the OTel id inside MLflow's `tr-…`; others as they are."""
    return trace_id.removeprefix("tr-")


def _span(fields: Fields, trace_id: str, redactor: Redactor) -> Span:
    status = fields.get("status") or {}
    attributes = {name: _value(raw) for name, raw in (fields.get("attributes") or {}).items()}
    usage = attributes.get("mlflow.chat.tokenUsage") or {}
    if isinstance(usage, dict) and usage:
        attributes["gen_ai.usage.input_tokens"] = usage.get("input_tokens")
        attributes["gen_ai.usage.output_tokens"] = usage.get("output_tokens")
    failed = "ERROR" in str(status.get("code", status.get("status_code", "")))
    return Span(
        trace_id=trace_id,
        span_id=_span_id(fields["span_id"]),
        parent_id=_span_id(fields["parent_span_id"]) if fields.get("parent_span_id") else None,
        name=str(fields.get("name", "")),
        start_ns=int(fields.get("start_time_unix_nano") or fields.get("start_time") or 0),
        end_ns=int(fields.get("end_time_unix_nano") or fields.get("end_time") or 0),
        error=str(status.get("message") or "error") if failed else None,
        attributes=clean(attributes, redactor),
        events=[_event(event) for event in fields.get("events") or ()],
        scope="mlflow",
    )


def _value(raw: Any) -> Any:
    """Return the value that the text of an attribute holds."""
    if not isinstance(raw, str):
        return raw
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        return raw


def _span_id(text: str) -> str:
    """Return the id as hex: spans carry base64, older versions hex."""
    try:
        raw = base64.b64decode(text, validate=True)
    except ValueError:
        return text
    return raw.hex() if len(raw) == 8 else text


def _event(fields: Fields) -> SpanEvent:
    time_ns = int(fields.get("time_unix_nano") or fields.get("timestamp") or 0)
    return SpanEvent(str(fields.get("name", "")), time_ns, fields.get("attributes") or {})


def _add_assessment(fields: Fields, decoded: Decoded, context: Context) -> None:
    """Add what an assessment says; a judge's own failure says nothing."""
    feedback = fields.get("feedback") or {}
    expectation = fields.get("expectation") or {}
    value = feedback.get("value", expectation.get("value"))
    if value is None and feedback.get("error"):
        decoded.ignored += 1
        return
    if not fields.get("trace_id"):
        raise InvalidRecordError("an assessment of no trace")
    target = fields.get("span_id") or hex_id(str(fields["trace_id"]))
    source = fields.get("source") or {}
    is_number = isinstance(value, bool | int | float)
    created = fields.get("last_update_time") or fields.get("create_time")
    decoded.feedback.append(
        Feedback(
            id=str(fields.get("assessment_id") or _identity(fields)),
            target=_span_id(str(target)) if fields.get("span_id") else str(target),
            name=str(fields["assessment_name"]),
            score=as_share(value),
            label=None if value is None or is_number else _text(value),
            comment=fields.get("rationale"),
            correction=read_correction(_text(value)) if expectation and value else None,
            source=SOURCES.get(str(source.get("source_type")), "user"),
            created_at=read_time(created) or context.record_time,
            retracted=fields.get("valid") is False,
        )
    )


def _identity(fields: Fields) -> str:
    parts = [fields.get(name) for name in ("trace_id", "span_id", "assessment_name", "source")]
    return content_id("assessment", [*parts, fields.get("create_time")])


def _text(value: Any) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()
