"""Siblings: two traces that say the same up to a step and part there, one to pass, one to fail.

Found by hashes of prefixes that the store keeps, so that each trace is compared with those only
that share one. In production it is rare (users never ask twice in the same words); replays and benchmarks show it.
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from tracemill.curation.arguments import call_key, words_of
from tracemill.curation.detectors.reading import Reading
from tracemill.curation.rows import Pair, PairProof
from tracemill.curation.split import group_of
from tracemill.curation.task import TraceRef
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store
from tracemill.ingest.trace import Message, Trace
from tracemill.record import content_id


class Branch(NamedTuple):
    """What one trace said after a prefix."""

    step: int
    prefix: int
    """64 bits of a hash: equal where the world, the tools and the messages up to the step are."""
    said: int
    """Equal where the same was said."""
    has_calls: bool
    has_words: bool
    has_passed: bool
    model: str


class Fork(NamedTuple):
    """A step at which a passing and a failing trace part."""

    passing: str
    failing: str
    step: int


def branches_of(reading: Reading) -> tuple[Branch, ...]:
    """Return what the trace said after which prefix, if it passed or failed by its own record."""
    if not (reading.has_passed or reading.has_failed):
        return ()
    prefix = hashlib.sha256(f"{_world(reading.trace)}\0{reading.toolset}".encode())
    branches = []
    for index, message in enumerate(reading.trace.messages):
        if message.role == "assistant" and index not in reading.cut_steps:
            branches.append(_branch(reading, index, message, prefix.digest()))
        prefix.update(_exactly(message))
    return tuple(branches)


def _world(trace: Trace) -> str:
    """Equal where the same is wanted of the agent in the same circumstances, as far as the trace
    says: what is right after the same words may be wrong for another task."""
    return content_id("world", [trace.task, trace.environment_state])


def _branch(reading: Reading, step: int, message: Message, prefix: bytes) -> Branch:
    said = " ".join(map(call_key, message.tool_calls)) or words_of(message.content)
    return Branch(
        step=step,
        prefix=_number(prefix),
        said=_number(hashlib.sha256(said.encode("utf-8", "surrogatepass")).digest()),
        has_calls=bool(message.tool_calls),
        has_words=bool(message.content),
        has_passed=reading.has_passed,
        model=reading.trace.model.label,
    )


def _number(digest: bytes) -> int:
    return int.from_bytes(digest[:8], "big")


def write_branches(store: Store, branches: Iterable[tuple[str, Sequence[Branch]]]) -> None:
    """Append the branches of some traces (by id); inside the caller's transaction."""
    rows = [(trace_id, *branch) for trace_id, some in branches for branch in some]
    store.append("drafted_branches", ("trace_id", *Branch._fields), rows)


def forks(
    store: Store, *, may_models_differ: bool, without: Collection[str] = ()
) -> tuple[Fork, ...]:
    """Return where a passing and a failing trace part, each difference once.

    `without` are traces of which none is a side.
    """
    return tuple(
        Fork(*row)
        for row in store.execute(statement(__file__, "forks"), [may_models_differ, list(without)])
    )


def _exactly(message: Message) -> bytes:
    """The message as a chat template renders it: all but the ids of calls."""
    calls = [f"{call.name}\0{call.arguments}" for call in message.tool_calls]
    return "\0".join((message.role, message.content or "", *calls, "\1")).encode(
        "utf-8", "surrogatepass"
    )


def make_pairs(forks: Iterable[Fork], traces: Mapping[str, Trace]) -> tuple[Pair, ...]:
    """Return a pair for each fork: what the passing trace said is chosen."""
    pairs = (_pair(fork, traces[fork.passing], traces[fork.failing]) for fork in forks)
    return tuple(pair for pair in pairs if pair is not None)


def _pair(fork: Fork, passing: Trace, failing: Trace) -> Pair | None:
    before = passing.messages[: fork.step], failing.messages[: fork.step]
    if list(map(_exactly, before[0])) != list(map(_exactly, before[1])):
        return None  # equal in 64 bits of a hash only
    chosen, rejected = passing.messages[fork.step], failing.messages[fork.step]
    return Pair(
        id=content_id("pair", [passing.id, failing.id, fork.step]),
        prompt=before[1],
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
