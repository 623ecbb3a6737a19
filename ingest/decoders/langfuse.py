"""Langfuse: ingestion batches, exported traces, and scores.

A batch holds events that create or update a trace, an observation or a score; bodies of one id are
merged, in any order. Source: langfuse SDK 3.15.0, api/resources/ingestion/types.
"""

from typing import Any

from pydantic import JsonValue

from tracemill.errors import InvalidRecordError
from tracemill.ingest.decoded import Context, Decoded
from tracemill.ingest.decoders.feedback import as_share, read_correction
from tracemill.ingest.dialects.attributes import PSEUDONYMOUS, tenant_in
from tracemill.ingest.dialects.dialect import parse_text
from tracemill.ingest.redact import Redactor
from tracemill.ingest.span import Span
from tracemill.ingest.times import read_time, to_nanoseconds
from tracemill.ingest.trace import Feedback, FeedbackSource
from tracemill.record import content_id

OBSERVATION_EVENTS = ("span", "generation", "event", "observation", "agent", "tool", "chain")
SOURCES: dict[str, FeedbackSource] = {"API": "user", "ANNOTATION": "expert", "EVAL": "judge"}
OTEL_PREFIXES = (
    "gen_ai.", "tracemill.", "session.", "user.", "tenant.", "ai.prompt.tools", "ai.response.",
    "langsmith.metadata.",
)  # fmt: skip
"""Attributes of the original span that an export keeps in its metadata, and that we read."""

Fields = dict[str, Any]


def is_batch(value: Fields) -> bool:
    """Whether it is a batch of events, or one of them."""
    if isinstance(value.get("batch"), list):
        return True
    return isinstance(value.get("body"), dict) and str(value.get("type", "")).endswith(
        ("-create", "-update")
    )


def is_export(value: Fields) -> bool:
    """Whether it is a trace with its observations, as the export and the API give it."""
    return isinstance(value.get("observations"), list)


def is_score(value: Fields) -> bool:
    """Whether it is a score alone."""
    has_target = any(value.get(name) for name in ("traceId", "observationId", "sessionId"))
    return has_target and "name" in value and "value" in value and "startTime" not in value


def decode_batch(value: Fields, context: Context) -> Decoded:
    """Return what the events of a batch tell."""
    decoded = Decoded("langfuse")
    events = value["batch"] if isinstance(value.get("batch"), list) else [value]
    for index, event in enumerate(events):
        with decoded.part(f"batch[{index}]"):
            _take(event, decoded, context)
    return decoded


def _take(event: Fields, decoded: Decoded, context: Context) -> None:
    kind, _, _ = str(event["type"]).partition("-")
    body = event["body"]
    if kind == "trace":
        decoded.spans.append(_trace(body, context.redactor))
    elif kind == "score":
        decoded.feedback.append(_score(body, context))
    elif kind in OBSERVATION_EVENTS:
        decoded.spans.append(_observation({"type": kind.upper(), **body}, context.redactor))
    else:
        decoded.ignored += 1


def decode_export(value: Fields, context: Context) -> Decoded:
    """Return the spans and scores of an exported trace."""
    decoded = Decoded("langfuse-export")
    trace = value["trace"] if isinstance(value.get("trace"), dict) else value
    decoded.spans.append(_trace(trace, context.redactor))
    for index, body in enumerate(value["observations"]):
        with decoded.part(f"observations[{index}]"):
            decoded.spans.append(_observation({"traceId": trace["id"], **body}, context.redactor))
    for index, body in enumerate(trace.get("scores") or ()):
        with decoded.part(f"scores[{index}]"):
            decoded.feedback.append(_score({"traceId": trace["id"], **body}, context))
    for index, body in enumerate(trace.get("corrections") or ()):
        with decoded.part(f"corrections[{index}]"):
            correction = {"traceId": trace["id"], "dataType": "CORRECTION", **body}
            decoded.feedback.append(_score(correction, context))
    return decoded


def decode_score(value: Fields, context: Context) -> Decoded:
    """Return the feedback of a score that comes alone."""
    return Decoded("langfuse-score", feedback=[_score(value, context)])


def _trace(body: Fields, redactor: Redactor) -> Span:
    """Return what is said of the trace as a saying of a span that never comes itself."""
    tenant = tenant_in(parse_text(body.get("metadata")).value)
    attributes: dict[str, JsonValue] = {
        "langfuse.trace.name": body.get("name"),
        "session.id": body.get("sessionId"),
        "user.id": redactor.pseudonym(str(body["userId"])) if body.get("userId") else None,
        "tenant.id": redactor.pseudonym(tenant, "tenant") if tenant else None,
    }
    return Span(
        trace_id=str(body["id"]),
        span_id=f"trace-{body['id']}",
        attributes={k: v for k, v in attributes.items() if v is not None},
        is_partial=True,
    )


def _observation(body: Fields, redactor: Redactor) -> Span:
    failed = body.get("level") == "ERROR"
    read = parse_text(body.get("metadata")).value
    metadata: Fields = read if isinstance(read, dict) else {}
    own: dict[str, JsonValue] = {
        "langfuse.observation.type": str(body.get("type") or "span").lower(),
        "langfuse.observation.input": body.get("input"),
        "langfuse.observation.output": body.get("output"),
        "langfuse.observation.model.name": body.get("model"),
        "langfuse.observation.usage_details": body.get("usageDetails") or body.get("usage") or None,
        "langfuse.observation.tools": metadata.get("tools") or body.get("toolDefinitions") or None,
        "langfuse.observation.metadata.thread_id": metadata.get("thread_id"),
        "langfuse.observation.cost_details": body.get("costDetails") or None,
    }
    original = _original(metadata.get("attributes"), redactor)
    return Span(
        trace_id=str(body["traceId"]),
        span_id=str(body["id"]),
        parent_id=body.get("parentObservationId") or None,
        name=str(body.get("name") or ""),
        start_ns=to_nanoseconds(body.get("startTime")),
        end_ns=to_nanoseconds(body.get("endTime")),
        error=str(body.get("statusMessage") or "error") if failed else None,
        attributes=original | {k: v for k, v in own.items() if v is not None},
        scope="langfuse",
    )


def _original(attributes: Any, redactor: Redactor) -> dict[str, JsonValue]:
    if not isinstance(attributes, dict):
        return {}
    kept = {k: v for k, v in attributes.items() if k.startswith(OTEL_PREFIXES)}
    for key, kind in PSEUDONYMOUS.items():
        if kept.get(key):
            kept[key] = redactor.pseudonym(str(kept[key]), kind)
    return kept


def _score(body: Fields, context: Context) -> Feedback:
    names = ("observationId", "traceId", "sessionId")
    target = next((str(body[name]) for name in names if body.get(name)), None)
    if target is None:
        raise InvalidRecordError("a score of no trace, observation or session")
    value = body.get("value")
    corrects = body.get("dataType") == "CORRECTION"
    texts = (body.get("longStringValue"), body.get("stringValue"), value)
    text = next((one for one in texts if isinstance(one, str)), None)
    return Feedback(
        id=str(body.get("id") or content_id("score", body)),
        target=target,
        name=str(body.get("name") or "correction"),
        score=None if corrects else as_share(value),
        label=_label(text, value, corrects=corrects),
        comment=body.get("comment"),
        correction=read_correction(parse_text(text).value) if corrects else None,
        source=SOURCES.get(str(body.get("source")), "user"),
        created_at=read_time(body.get("timestamp") or body.get("createdAt")) or context.record_time,
    )


def _label(text: str | None, value: Any, *, corrects: bool) -> str | None:
    """Return the text of a category; a number on a scale that is not ours as text, too."""
    if corrects:
        return None
    if text is None and isinstance(value, int | float) and as_share(value) is None:
        return str(value)
    return text
