"""Rebuild: the spans of one trace in, the Trace out."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, cast

from pydantic import JsonValue

from tracemill.ingest.decoded import Episode
from tracemill.ingest.dialects.attributes import gathered, number_of, value_of
from tracemill.ingest.dialects.dialect import parse_text
from tracemill.ingest.model_calls import (
    ended_at,
    last_was_cut,
    model_of,
    started_at,
    steps_of,
    text_or_none,
    tools_of,
    unanswered,
    usage_of,
)
from tracemill.ingest.nesting import AgentRun, model_calls, nest
from tracemill.ingest.span import Span, merge_spans
from tracemill.ingest.sub_agents import sub_agents_of
from tracemill.ingest.trace import Outcome, SourceRange, Trace
from tracemill.ingest.transcript import transcribe
from tracemill.ingest.tree import Node, aliases_of, fell, plant, root_first
from tracemill.ingest.usage import Usage, total

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
    models = model_calls(nodes)
    run = nest(nodes, models)
    told = transcribe(run.calls, run.tools)
    nested = sub_agents_of(run, told)
    spans = root_first(nodes)
    whole = gathered(spans)
    own = gathered(root_first(_outside(nodes, run))) if run.below else whole
    started = started_at(spans) or arrived
    trace = Trace(
        id=trace_id,
        session_id=text_or_none(value_of(whole, "session")),
        user_id=text_or_none(value_of(whole, "user")),
        tenant_id=text_or_none(value_of(whole, "tenant")),
        agent=text_or_none(value_of(own, "agent")) or "agent",
        model=model_of(told.calls, own),
        messages=told.messages,
        tools=tools_of(told.calls or nodes),
        steps=steps_of(told.written_by),
        sub_agents=nested.agents,
        unplaced=_unplaced(models, nested.placed.union(told.written_by.values())),
        outcome=_outcome(whole, told.calls),
        task=text_or_none(value_of(whole, "task")),
        environment_state=_state(value_of(whole, "environment_state")),
        started_at=started,
        ended_at=_not_before(started, ended_at(spans)),
        is_complete=any(_is_whole(node) for node in nodes),
        is_truncated=told.is_truncated or run.is_cut or last_was_cut(told.calls),
        has_content=any(message.content or message.tool_calls for message in told.messages),
        dropped_attributes=sum(span.dropped for span in spans),
        dialect=_dialect(told.calls or nodes),
        sources=tuple(sources),
    )
    aliases = tuple(sorted(aliases_of(nodes)))[:KEPT_ALIASES]
    fell(nodes)
    return Episode(trace, aliases)


def _is_whole(node: Node) -> bool:
    """Whether it ended, and all lies within it: a root of one process may lie in another's span."""
    return node.parent is None and node.span.is_root and node.span.end_ns > 0


def _outside(nodes: Sequence[Node], run: AgentRun) -> list[Node]:
    """Return the spans that are not of the agents under the main one."""
    roots = [below.root for below in run.below if below.root is not None]
    inside = {node for root in roots for node in root.descendants}
    inside.update(root for root in roots if root.kind == "agent")
    return [node for node in nodes if node not in inside]


def _unplaced(models: Iterable[Node], placed: frozenset[Node]) -> Usage | None:
    """Return what those model calls took that wrote no message; None if nothing is known of any."""
    lost = [usage_of(node.span) for node in models if node not in placed]
    if not lost:
        return None
    usage = total(lost)
    return None if usage.tokens is None and usage.cost_usd is None else usage


def _not_before(started: datetime, ended: datetime | None) -> datetime | None:
    """Return the end if it is one: clocks of several machines may disagree."""
    return ended if ended is not None and ended >= started else None


def _outcome(whole: Span, calls: Sequence[Node]) -> Outcome:
    reward = number_of(whole, "reward")
    error = text_or_none(value_of(whole, "outcome_error"))
    return Outcome(
        reward=None if reward is None else min(1.0, reward),
        label=text_or_none(value_of(whole, "label")),
        error=unanswered(calls) if error is None else error,
    )


def _state(value: Any) -> JsonValue:
    return cast(JsonValue, parse_text(value).value)


def _dialect(nodes: Sequence[Node]) -> str:
    return next((node.dialect.name for node in nodes if node.dialect is not None), "unknown")
