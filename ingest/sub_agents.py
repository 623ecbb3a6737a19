"""Sub-agents: the conversations under and beside the main agent's, each by the same code as its."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tracemill.ingest.dialects.attributes import gathered, value_of
from tracemill.ingest.model_calls import (
    ended_at,
    last_was_cut,
    model_of,
    started_at,
    steps_of,
    text_or_none,
    tools_of,
    unanswered,
)
from tracemill.ingest.nesting import AgentRun
from tracemill.ingest.trace import SubAgent, ToolCall
from tracemill.ingest.transcript import Transcript, transcribe
from tracemill.ingest.tree import Node

NAMES = (
    "gen_ai.agent.name", "agent.name", "agent_name", "traceloop.entity.name", "graph.node.id",
)  # fmt: skip
"""Attributes of an agent's own span that name it; else the span's name does."""


class Nested(NamedTuple):
    """The sub-agents, and which model calls their messages come from."""

    agents: tuple[SubAgent, ...] = ()
    placed: frozenset[Node] = frozenset()


def sub_agents_of(run: AgentRun, told: Transcript) -> Nested:
    """Return the agents under this run and the conversations beside it, in order of their start.

    `told` is the run's own transcript.
    """
    if not (run.below or told.others):
        return Nested()
    waiting = [call for message in told.messages for call in message.tool_calls]
    found = [_beside(calls, run) for calls in told.others]
    for below in run.below:
        call_id = _call_of(below, waiting)
        waiting = [call for call in waiting if call.id != call_id]
        found.append(_under(below, call_id))
    agents = [agent for nested in found for agent in nested.agents]
    started = {id(agent): _started(agent) for agent in agents}
    return Nested(
        tuple(sorted(agents, key=lambda agent: started[id(agent)])),
        frozenset().union(*(nested.placed for nested in found)),
    )


def _started(agent: SubAgent) -> float:
    return 0.0 if agent.started_at is None else agent.started_at.timestamp()


def _beside(calls: Sequence[Node], run: AgentRun) -> Nested:
    """Return the conversation that these calls of the run hold, which share nothing with it."""
    speakers = {_agent_over(node, run.root) for node in calls}
    tools = [tool for tool in run.tools if _agent_over(tool, run.root) in speakers]
    told = transcribe(calls, tools, run.root)
    agent = _agent(AgentRun(None, tuple(calls), tuple(tools)), told, Nested(), None)
    return Nested((agent,), frozenset(told.written_by.values()))


def _under(run: AgentRun, call_id: str | None) -> Nested:
    told = transcribe(run.calls, run.tools, run.root)
    inner = sub_agents_of(run, told)
    agent = _agent(run, told, inner, call_id)
    return Nested((agent,), inner.placed.union(told.written_by.values()))


def _agent(run: AgentRun, told: Transcript, inner: Nested, call_id: str | None) -> SubAgent:
    calls = told.calls or run.calls
    spans = [node.span for node in (run.root, *calls) if node is not None]
    return SubAgent(
        agent=_name(calls[0], run.root),
        tool_call_id=call_id,
        model=model_of(calls, gathered(spans)),
        messages=told.messages,
        tools=tools_of(calls),
        steps=steps_of(told.written_by),
        sub_agents=inner.agents,
        started_at=started_at(spans),
        ended_at=ended_at(spans),
        is_truncated=told.is_truncated or run.is_cut or last_was_cut(calls),
        error=_error(run, calls),
    )


def _call_of(run: AgentRun, waiting: Iterable[ToolCall]) -> str | None:
    """Return the id of the call under which it ran: its span's, else the first of its name."""
    root = run.root
    if root is None:
        return None
    if call_id := value_of(root.span, "call_id"):
        return str(call_id)
    names = {value_of(root.span, "tool_name"), root.span.name, _name(run.calls[0], root)}
    return next((call.id for call in waiting if call.name in names), None)


def _agent_over(node: Node, root: Node | None) -> Node | None:
    """Return the innermost agent in which it lies, not beyond the root."""
    if node.kind == "agent":
        return node
    for above in node.ancestors:
        if above.kind == "agent":
            return above
        if above is root:
            break
    return None


def _name(call: Node, root: Node | None) -> str:
    """Return the agent's name by its span or its call, else the tool's, else that of the call."""
    agent = _agent_over(call, root)
    if agent is not None:
        named = next((v for name in NAMES if (v := agent.span.attributes.get(name))), None)
        return text_or_none(named) or agent.span.name.removeprefix("invoke_agent ") or "agent"
    if named := call.span.attributes.get("gen_ai.agent.name"):
        return str(named)
    if root is not None:
        return text_or_none(value_of(root.span, "tool_name")) or root.span.name or "agent"
    return call.span.name or "agent"


def _error(run: AgentRun, calls: Sequence[Node]) -> str | None:
    """Return why it failed: its agent's span, its last model call or its tool's span says so."""
    agent = _agent_over(calls[0], run.root)
    own = None if agent is None or run.root is None else agent.span.error
    tool = None
    if run.root is not None:
        tool = run.root.span.error or text_or_none(value_of(run.root.span, "error_type"))
    return own or unanswered(calls) or tool
