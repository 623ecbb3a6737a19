"""Feedback in our own JSON, or in the team's own by a mapping.

Ours: {"id", "trace_id", "name", "score", "label", "comment", "correction", "step", "source",
"created_at", "retracted"}. A correction is an OpenAI assistant message, one call as
{"name", "arguments"}, or the text that should have been said.
"""

from typing import Any

from pydantic import JsonValue

from tracemill.errors import InvalidRecordError
from tracemill.ingest.decoded import Context, Decoded
from tracemill.ingest.decoders.paths import joined_at, share_at, text_at, value_at
from tracemill.ingest.mapping import FeedbackMapping
from tracemill.ingest.messages import read_messages
from tracemill.ingest.times import read_time
from tracemill.ingest.trace import Feedback, FeedbackSource, Message
from tracemill.record import content_id

TARGETS = ("trace_id", "target", "span_id", "run_id", "response_id", "session_id")
SOURCES: tuple[FeedbackSource, ...] = ("user", "expert", "judge", "code")


def is_feedback(value: dict[str, Any]) -> bool:
    """Whether the record is feedback in our own form."""
    return (
        any(value.get(name) for name in TARGETS)
        and "name" in value
        and any(name in value for name in ("score", "label", "correction", "comment", "retracted"))
        and "messages" not in value
    )


def decode_feedback(value: JsonValue, context: Context) -> Decoded:
    """Return the feedback of a record in our own form."""
    target = next((path for path in TARGETS if value_at(value, path)), "trace_id")
    mapping = FeedbackMapping(
        target=target, id="id", name="name", score="score", label="label", comment="comment",
        correction="correction", step="step", created_at="created_at", retracted="retracted",
    )  # fmt: skip
    return _decoded(value, mapping, context, "feedback")


def decode_mapped_feedback(value: JsonValue, context: Context) -> Decoded:
    """Return the feedback of a record in the team's own JSON, by the mapping of its topic."""
    mapping = context.topic.feedback_mapping
    if mapping is None:
        raise InvalidRecordError(
            "decoder 'mapped-feedback' needs a feedback_mapping for this topic in the settings"
        )
    return _decoded(value, mapping, context, "mapped-feedback")


def _decoded(value: JsonValue, mapping: FeedbackMapping, context: Context, decoder: str) -> Decoded:
    target = text_at(value, mapping.target)
    if target is None:
        raise InvalidRecordError(f"feedback without the id it speaks of at {mapping.target!r}")
    source = value_at(value, "source")
    step = value_at(value, mapping.step)
    said = Feedback(
        id=joined_at(value, mapping.id) or content_id("feedback", value),
        target=target,
        name=text_at(value, mapping.name) or context.record.topic,
        score=share_at(value, mapping.score, mapping.max_score),
        label=text_at(value, mapping.label),
        comment=text_at(value, mapping.comment),
        correction=read_correction(value_at(value, mapping.correction)),
        step=None if step is None else int(step),
        source=source if source in SOURCES else "user",
        created_at=read_time(value_at(value, mapping.created_at)) or context.record_time,
        retracted=value_at(value, mapping.retracted) is True,
    )
    return Decoded(decoder, feedback=[said])


def as_share(value: object) -> float | None:
    """Return a number (or truth) between 0 and 1; None of others, whose scale nobody tells us."""
    if isinstance(value, bool | int | float) and 0 <= value <= 1:
        return float(value)
    return None


def read_correction(raw: Any) -> Message | None:
    """Return the assistant message that a correction says should have been sent; None of None.

    Raises InvalidRecordError if it means more than one message, or none.
    """
    if raw is None or raw == "":
        return None
    if isinstance(raw, dict) and "name" in raw and "role" not in raw:
        raw = {"role": "assistant", "content": None, "tool_calls": [{"id": "correction", **raw}]}
    messages = read_messages(raw, role="assistant")
    if len(messages) != 1 or messages[0].role != "assistant":
        raise InvalidRecordError("a correction must be one assistant message, a call or a text")
    return messages[0]
