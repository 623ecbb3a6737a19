"""Rebuild: the spans of one trace in, the Trace out."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, cast

from pydantic import JsonValue

from tracemill.ingest.decoded import Episode
from tracemill.ingest.dialects.attributes import gathered, number_of, value_of
from tracemill.ingest.dialects.dialect import parse_text
from tracemill.ingest.finish import finish_reason
from tracemill.ingest.span import Span, merge_spans
from tracemill.ingest.times import FIRST_SANE, from_nanoseconds
from tracemill.ingest.trace import ModelRef, Outcome, SourceRange, Step, ToolSpec, Trace
from tracemill.ingest.transcript import Transcript, transcribe
from tracemill.ingest.tree import Node, aliases_of, fell, model_nodes, plant, root_first

LONGEST = timedelta(hours=24)
"""A span that lasts longer has a wrong clock."""
KEPT_ALIASES = 1000


def rebuild(
    trace_id: str, said: Iterable[Span], sources: Sequence[SourceRange], arrived: datetime
) -> Episode | None:
    """Return the trace that these spans tell; None if nothing in them is of an agent.

    `arrived` stands in for times that are not sane.
    """
    nodes = plant(merge_spans(said))
    if all(node.kind == "other" for node in nodes):
        return None
    calls = model_nodes(nodes)
    tools = [node for node in nodes if node.kind == "tool"]
    told = transcribe(calls or [n for n in nodes if n.kind == "agent"][:1], tools)
    spans = root_first(nodes)
    whole = gathered(spans)
    trace = Trace(
        id=trace_id,
        session_id=_text(value_of(whole, "session")),
        user_id=_text(value_of(whole, "user")),
        tenant_id=_text(value_of(whole, "tenant")),
        agent=_text(value_of(whole, "agent")) or "agent",
        model=_model(calls, whole),
        messages=told.messages,
        tools=_tools(calls or nodes),
        steps=_steps(told),
        outcome=_outcome(whole, calls),
        task=_text(value_of(whole, "task")),
        environment_state=_state(value_of(whole, "environment_state")),
        started_at=_start(spans) or arrived,
        ended_at=_end(spans),
        is_complete=any(span.is_root and span.end_ns > 0 for span in spans),
        is_truncated=told.is_truncated or _last_finish(calls) == "length",
        has_content=any(message.content or message.tool_calls for message in told.messages),
        dropped_attributes=sum(span.dropped for span in spans),
        dialect=_dialect(calls or nodes),
        sources=tuple(sources),
    )
    aliases = tuple(sorted(aliases_of(nodes)))[:KEPT_ALIASES]
    fell(nodes)
    return Episode(trace, aliases)


def _text(value: Any) -> str | None:
    return None if value is None or value == "" else str(value)


def _model(calls: Sequence[Node], whole: Span) -> ModelRef:
    last = calls[-1].span if calls else whole
    version = value_of(last, "model_version") or value_of(whole, "model_version")
    name = value_of(last, "model") or value_of(whole, "model")
    return ModelRef(name=_text(name) or "unknown", version=_text(version))


def _tools(nodes: Sequence[Node]) -> tuple[ToolSpec, ...]:
    """Return the tools of the last call that names any."""
    for node in reversed(nodes):
        if node.dialect is not None and (tools := node.dialect.tools(node.span)):
            return tools
    return ()


def _steps(told: Transcript) -> tuple[Step, ...]:
    return tuple(_step(index, node.span) for index, node in sorted(told.written_by.items()))


def _step(index: int, span: Span) -> Step:
    started, ended = from_nanoseconds(span.start_ns), from_nanoseconds(span.end_ns)
    is_sane = started and ended and started <= ended <= started + LONGEST
    return Step(
        message=index,
        started_at=started,
        ended_at=ended if is_sane else None,
        prompt_tokens=_count(span, "prompt_tokens"),
        completion_tokens=_count(span, "completion_tokens"),
        cost_usd=number_of(span, "cost_usd"),
        finish_reason=finish_reason(_finish(span)),
        error=span.error,
    )


def _count(span: Span, field: str) -> int | None:
    number = number_of(span, field)
    return None if number is None else int(number)


def _finish(span: Span) -> Any:
    value = value_of(span, "finish")
    if isinstance(value, list):
        return value[0] if value else None
    if value is None:
        messages = parse_text(span.attributes.get("gen_ai.output.messages")).value
        first = messages[0] if isinstance(messages, list) and messages else None
        return first.get("finish_reason") if isinstance(first, dict) else None
    return value


def _last_finish(calls: Sequence[Node]) -> str:
    return finish_reason(_finish(calls[-1].span)) if calls else "unknown"


def _outcome(whole: Span, calls: Sequence[Node]) -> Outcome:
    reward = number_of(whole, "reward")
    error = _text(value_of(whole, "outcome_error"))
    if error is None and calls:
        error = _unanswered(calls[-1])
    return Outcome(
        reward=None if reward is None else min(1.0, reward),
        label=_text(value_of(whole, "label")),
        error=error,
    )


def _unanswered(last: Node) -> str | None:
    """Return the error of a last model call that failed without an answer: the provider's."""
    if last.span.error is None or last.dialect is None:
        return None
    return None if last.dialect.conversation(last.span).output else last.span.error


def _state(value: Any) -> JsonValue:
    return cast(JsonValue, parse_text(value).value)


def _start(spans: Sequence[Span]) -> datetime | None:
    times = [from_nanoseconds(span.start_ns) for span in spans]
    return min((time for time in times if time and time >= FIRST_SANE), default=None)


def _end(spans: Sequence[Span]) -> datetime | None:
    return max((time for span in spans if (time := from_nanoseconds(span.end_ns))), default=None)


def _dialect(nodes: Sequence[Node]) -> str:
    return next((node.dialect.name for node in nodes if node.dialect is not None), "unknown")
