"""Siblings: two traces that say the same up to a step and part there, one to pass, one to fail.

Found by hashes of prefixes, so that each trace is compared with those only that share one. In
production it is rare (users never ask twice in the same words); replays and benchmarks show it.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tracemill.curation.arguments import call_key, words_of
from tracemill.curation.detectors.reading import Reading
from tracemill.curation.rows import Pair, PairProof
from tracemill.curation.split import group_of
from tracemill.curation.task import TraceRef
from tracemill.ingest.trace import Message, Trace
from tracemill.record import content_id


class _Branch(NamedTuple):
    """What one trace said after a prefix."""

    trace_id: str
    step: int
    has_passed: bool
    model: str
    form: tuple[bool, bool]
    """(makes calls, speaks)"""
    said: str
    """Equal where the same was said."""


@dataclass
class SiblingIndex:
    """Which traces share a prefix; holds hashes, no messages."""

    may_models_differ: bool
    """Whether the sides of a pair may come from different models."""
    _branches: defaultdict[str, list[_Branch]] = field(default_factory=lambda: defaultdict(list))

    def add(self, reading: Reading) -> None:
        """Note the trace's steps, if it passed or failed by its own record."""
        if not (reading.has_passed or reading.has_failed):
            return
        prefix = hashlib.sha256(reading.toolset.encode())
        for index, message in enumerate(reading.trace.messages):
            if message.role == "assistant" and index not in reading.cut_steps:
                self._branches[prefix.hexdigest()].append(_branch(reading, index, message))
            prefix.update(_exactly(message))

    def forks(self) -> tuple["Fork", ...]:
        """Return where a passing and a failing trace part, each difference once."""
        found: dict[tuple[str, str, str], Fork] = {}
        for prefix, branches in self._branches.items():
            for passing, failing in _parted(branches, self.may_models_differ):
                fork = Fork(passing.trace_id, failing.trace_id, passing.step)
                found.setdefault((prefix, passing.said, failing.said), fork)
        return tuple(sorted(found.values()))


class Fork(NamedTuple):
    """A step at which a passing and a failing trace part."""

    passing: str
    failing: str
    step: int


def _branch(reading: Reading, index: int, message: Message) -> _Branch:
    return _Branch(
        trace_id=reading.trace.id,
        step=index,
        has_passed=reading.has_passed,
        model=reading.trace.model.label,
        form=(bool(message.tool_calls), bool(message.content)),
        said=" ".join(map(call_key, message.tool_calls)) or words_of(message.content),
    )


def _parted(
    branches: Sequence[_Branch], may_models_differ: bool
) -> Iterator[tuple[_Branch, _Branch]]:
    failing = [branch for branch in branches if not branch.has_passed]
    for passing in branches:
        if not passing.has_passed or not failing:
            continue
        for other in failing:
            may_meet = may_models_differ or passing.model == other.model
            if may_meet and passing.form == other.form and passing.said != other.said:
                yield passing, other


def _exactly(message: Message) -> bytes:
    """The message as a chat template renders it: all but the ids of calls."""
    calls = [f"{call.name}\0{call.arguments}" for call in message.tool_calls]
    return "\0".join((message.role, message.content or "", *calls, "\1")).encode(
        "utf-8", "surrogatepass"
    )


def make_pairs(forks: Iterable[Fork], traces: dict[str, Trace]) -> tuple[Pair, ...]:
    """Return a pair for each fork: what the passing trace said is chosen."""
    return tuple(_pair(fork, traces[fork.passing], traces[fork.failing]) for fork in forks)


def _pair(fork: Fork, passing: Trace, failing: Trace) -> Pair:
    chosen, rejected = passing.messages[fork.step], failing.messages[fork.step]
    return Pair(
        id=content_id("pair", [passing.id, failing.id, fork.step]),
        prompt=failing.messages[: fork.step],
        tools=failing.tools,
        chosen=chosen,
        rejected=rejected,
        origin="sibling",
        proof=PairProof(chosen_reward=1.0, rejected_reward=0.0, checks=("outcome",)),
        slice=chosen.tool_calls[0].name if chosen.tool_calls else "answer",
        group=group_of(failing),
        task_id="",
        sources=tuple(
            TraceRef(trace_id=one.id, revision=one.revision) for one in (failing, passing)
        ),
    )
