"""Model calls: what their spans say of an agent beyond its messages."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from pydantic import TypeAdapter

from tracemill.ingest.dialects import langfuse
from tracemill.ingest.dialects.attributes import number_of, value_of
from tracemill.ingest.dialects.dialect import parse_text
from tracemill.ingest.finish import finish_of
from tracemill.ingest.span import Span
from tracemill.ingest.times import FIRST_SANE_NS, from_nanoseconds
from tracemill.ingest.trace import ModelRef, Step, ToolSpec
from tracemill.ingest.tree import Node
from tracemill.ingest.usage import Usage

_CHECKED = TypeAdapter(tuple[Step, ...])
LONGEST = timedelta(hours=24)
"""A span that lasts longer has a wrong clock."""


def text_or_none(value: Any) -> str | None:
    """Return the value as text; None of nothing and of an empty text."""
    return None if value is None or value == "" else str(value)


def model_of(calls: Sequence[Node], whole: Span) -> ModelRef:
    """Return the model of the last call; what it does not say is taken from `whole`."""
    last = calls[-1].span if calls else whole
    version = value_of(last, "model_version") or value_of(whole, "model_version")
    name = value_of(last, "model") or value_of(whole, "model")
    return ModelRef(name=text_or_none(name) or "unknown", version=text_or_none(version))


def tools_of(nodes: Sequence[Node]) -> tuple[ToolSpec, ...]:
    """Return the tools of the last call that names any."""
    for node in reversed(nodes):
        if node.dialect is not None and (tools := node.dialect.tools(node.span)):
            return tools
    return ()


def steps_of(written_by: Mapping[int, Node]) -> tuple[Step, ...]:
    """Return a step for each message that a call wrote, in order."""
    return _CHECKED.validate_python(
        [_fields(index, node.span) for index, node in sorted(written_by.items())]
    )


def usage_of(span: Span) -> Usage:
    """Return what a model call took."""
    return Step(**_fields(0, span)).usage


def _fields(index: int, span: Span) -> dict[str, Any]:
    """Return what the span says of the message that it wrote, as the fields of a step."""
    started, ended = _sane(span.start_ns), _sane(span.end_ns)
    prompt_tokens, completion_tokens = _tokens(span)
    is_sane = started and ended and started <= ended <= started + LONGEST
    return {
        "message": index,
        "started_at": started,
        "ended_at": ended if is_sane else None,
        "prompt_tokens": prompt_tokens,
        "completion_tokens": completion_tokens,
        "cost_usd": _cost(span),
        "finish_reason": finish_of(span),
        "error": span.error,
    }


def _sane(nanoseconds: int) -> datetime | None:
    return from_nanoseconds(nanoseconds) if nanoseconds >= FIRST_SANE_NS else None


def _tokens(span: Span) -> tuple[int | None, int | None]:
    """Return the prompt's and the completion's tokens."""
    if (told := span.attributes.get(langfuse.USAGE)) is not None:
        details = parse_text(told).value
        if isinstance(details, dict) and details:
            return langfuse.tokens_in(details)
    return _count(span, "prompt_tokens"), _count(span, "completion_tokens")


def _cost(span: Span) -> float | None:
    if (told := span.attributes.get(langfuse.COST)) is not None:
        details = parse_text(told).value
        if isinstance(details, dict) and (cost := langfuse.cost_in(details)) is not None:
            return cost
    return number_of(span, "cost_usd")


def _count(span: Span, field: str) -> int | None:
    number = number_of(span, field)
    return None if number is None else int(number)


def last_was_cut(calls: Sequence[Node]) -> bool:
    """Whether the last call stopped because it had no tokens left."""
    return bool(calls) and finish_of(calls[-1].span) == "length"


def unanswered(calls: Sequence[Node]) -> str | None:
    """Return the error of a last model call that failed without an answer: the provider's."""
    last = calls[-1] if calls else None
    if last is None or last.span.error is None or last.dialect is None:
        return None
    return None if last.dialect.conversation(last.span).output else last.span.error


def started_at(spans: Sequence[Span]) -> datetime | None:
    """Return when the first of them began; None if none has a sane time."""
    sane = [span.start_ns for span in spans if span.start_ns >= FIRST_SANE_NS]
    return from_nanoseconds(min(sane, default=0))


def ended_at(spans: Sequence[Span]) -> datetime | None:
    """Return when the last of them ended; None if none says."""
    return _sane(max((span.end_ns for span in spans), default=0))
