"""Feedback inside OTLP: evaluation events of the GenAI conventions, OpenInference's annotations.

An evaluation names its span, or a response. An annotation stands on the span it speaks of, or on
a carrier span with one link to it; its scope is the span, the trace or the session.
Sources: semantic-conventions model/gen-ai/events.yaml; openinference spec/annotations.md.
"""

from collections.abc import Iterator
from typing import Any

from tracemill.ingest.decoded import Context, Decoded
from tracemill.ingest.decoders.feedback import as_share
from tracemill.ingest.dialects.indexed import nested
from tracemill.ingest.span import Span, SpanEvent
from tracemill.ingest.times import from_nanoseconds
from tracemill.ingest.trace import Feedback, FeedbackSource
from tracemill.record import content_id

EVALUATION = "gen_ai.evaluation.result"
SCOPES = ("", "trace.", "session.")
LISTS = (("annotations", "annotation"), ("evaluations", "evaluation"))
MARKS = frozenset(
    f"{scope}{many}.0.{one}.{field}"
    for scope in SCOPES
    for many, one in LISTS
    for field in ("name", "score", "label")
)
"""A span without any of these has no annotations."""
SOURCES: dict[str, FeedbackSource] = {"HUMAN": "user", "LLM": "judge", "CODE": "code"}

Fields = dict[str, Any]


def has_feedback(span: Span) -> bool:
    """Whether the span may say something of itself or of another."""
    return bool(span.events) or not MARKS.isdisjoint(span.attributes)


def add_feedback(span: Span, decoded: Decoded, context: Context) -> None:
    """Add what the span, or a log record that names it, says of itself or of another."""
    for event in span.events:
        if event.name == EVALUATION:
            said = _evaluation(span, event, context)
            decoded.feedback += [said] if said is not None else []
            decoded.ignored += said is None
    if not MARKS.isdisjoint(span.attributes):
        decoded.feedback += _annotations(span, context)


def _evaluation(span: Span, event: SpanEvent, context: Context) -> Feedback | None:
    """Return the judgement; None if the judge failed, which says nothing of the trace."""
    fields = event.attributes
    score, label = (fields.get(f"gen_ai.evaluation.score.{part}") for part in ("value", "label"))
    if score is None and label is None and fields.get("error.type"):
        return None
    name = str(fields.get("gen_ai.evaluation.name") or "evaluation")
    target = span.span_id or str(fields.get("gen_ai.response.id"))
    return Feedback(
        id=content_id("evaluation", [target, name, event.time_ns]),
        target=target,
        name=name,
        score=as_share(score),
        label=_label(label, score),
        comment=_text(fields.get("gen_ai.evaluation.explanation")),
        source="judge",
        created_at=from_nanoseconds(event.time_ns) or context.record_time,
    )


def _annotations(span: Span, context: Context) -> Iterator[Feedback]:
    for scope in SCOPES:
        target = _target(span, scope)
        for many, one in LISTS:
            for item in nested(span.attributes, scope + many) or ():
                if target is not None:
                    yield _annotation(item.get(one, item), scope, target, span, context)


def _target(span: Span, scope: str) -> str | None:
    """Return whom the scope means: the linked span (or trace) of a carrier, else the span's own."""
    trace_id, span_id = span.links[0] if span.links else (span.trace_id, span.span_id)
    if scope == "session.":
        session = span.attributes.get("session.id")
        return None if session is None else str(session)
    return trace_id if scope == "trace." else span_id


def _annotation(fields: Fields, scope: str, target: str, span: Span, context: Context) -> Feedback:
    name = str(fields.get("name") or "annotation")
    score = fields.get("score")
    return Feedback(
        id=content_id("annotation", [scope, target, name, fields.get("identifier")]),
        target=target,
        name=name,
        score=as_share(score),
        label=_label(fields.get("label"), score),
        comment=_text(fields.get("explanation")),
        source=SOURCES.get(str(fields.get("annotator_kind")), "user"),
        created_at=from_nanoseconds(span.end_ns or span.start_ns) or context.record_time,
    )


def _label(label: Any, score: Any) -> str | None:
    """Return the label; without one a score on another scale as text."""
    if label is not None:
        return str(label)
    return None if score is None or as_share(score) is not None else str(score)


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
