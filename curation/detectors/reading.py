"""Reading: a trace as detectors see it; Claim: what a detector says of it.

A Detector looks at one trace. A StoreDetector compares new traces with all others, by SQL over
the facts that mining keeps of each.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from tracemill.curation.calls import MadeCall, calls_of
from tracemill.curation.finding import FindingClass
from tracemill.ingest.store import Store
from tracemill.ingest.trace import SubAgent, Trace
from tracemill.record import content_id

PASS_REWARD = 1.0 - 1e-9
LOW_REWARD = 0.5
"""Below this an episode failed."""


class Nested(NamedTuple):
    """A sub-agent, and where in the main agent's conversation it ran."""

    agent: SubAgent
    step: int | None
    """Index of the message that called it, or the agent above it; None where that is not known."""


@dataclass(frozen=True)
class Reading:
    """A trace with its tool calls and their replies, as its main agent saw them.

    Of sub-agents only outages are looked for: what they did wrong themselves is seen only in what
    their call gave back to the main agent. Their cost counts (`curation.facts`).
    """

    trace: Trace

    @cached_property
    def calls(self) -> tuple[MadeCall, ...]:
        """Every tool call, in order."""
        return calls_of(self.trace.messages)

    @cached_property
    def assistant_steps(self) -> tuple[int, ...]:
        """Indexes of the assistant messages."""
        return tuple(i for i, m in enumerate(self.trace.messages) if m.role == "assistant")

    @cached_property
    def sub_agents(self) -> tuple[Nested, ...]:
        """Every sub-agent, those of sub-agents after them."""
        steps: dict[str, int] = {}
        for made in self.calls:
            steps.setdefault(made.call.id, made.step)
        return tuple(
            Nested(each, steps.get(agent.tool_call_id or ""))
            for agent in self.trace.sub_agents
            for each in (agent, *_below(agent))
        )

    @cached_property
    def cut_steps(self) -> frozenset[int]:
        """Indexes of the assistant messages that were cut at a token limit."""
        return frozenset(s.message for s in self.trace.steps if s.finish_reason == "length")

    @cached_property
    def toolset(self) -> str:
        """Fingerprint of the tools that were offered."""
        tools = [[tool.name, tool.description, tool.parameters] for tool in self.trace.tools]
        return content_id("tools", tools)

    @cached_property
    def user_steps(self) -> tuple[int, ...]:
        """Indexes of the user's messages."""
        return tuple(i for i, m in enumerate(self.trace.messages) if m.role == "user")

    @property
    def has_passed(self) -> bool:
        """Whether the trace's own record says that the request was fulfilled."""
        reward = self.trace.outcome.reward
        return reward is not None and reward >= PASS_REWARD

    @property
    def has_failed(self) -> bool:
        """Whether the trace's own record or its feedback says that it was not fulfilled."""
        reward = self.trace.outcome.reward
        if reward is not None:
            return reward < LOW_REWARD
        return any(said.score is not None and said.score < 0.5 for said in self.trace.feedback)


def _below(agent: SubAgent) -> Iterator[SubAgent]:
    for each in agent.sub_agents:
        yield each
        yield from _below(each)


class Claim(NamedTuple):
    """What went wrong at one step, in words; findings and modes are made of it."""

    step: int | None
    text: str
    evidence: str
    tool: str | None = None


@dataclass(frozen=True)
class Detector:
    """One weakness and how to find it."""

    name: str
    version: int
    """Raise it with any change of `find`: the store's traces are then read again."""
    kind: FindingClass
    severity: float
    judges: Literal["step", "outcome"]
    """An outcome is no evidence where an outage was met; a step can be."""
    find: Callable[[Reading], Iterable[Claim]]
    asks_what_for: bool = False
    """Whether its claims, where they name no tool, are told apart by what had been asked for."""


class TraceClaim(NamedTuple):
    """A claim about one of the store's traces."""

    trace_id: str
    claim: Claim


@dataclass(frozen=True)
class StoreDetector:
    """One weakness that shows only beside other traces."""

    name: str
    version: int
    kind: FindingClass
    severity: float
    find: Callable[[Store, int], Iterable[TraceClaim]]
    """(store, since): claims about the traces of commits after number `since`."""
