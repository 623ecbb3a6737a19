"""The training rows that tasks yield: examples for SFT, pairs for DPO."""

from typing import Literal

from tracemill.curation.task import ReferenceOrigin, TraceRef
from tracemill.ingest.trace import Message, ToolSpec
from tracemill.record import Record

PairOrigin = Literal["correction", "expectation", "recovery", "resample", "sibling", "environment"]


class Example(Record):
    """One verified assistant message after its prefix."""

    id: str
    prompt: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    completion: Message
    is_replay: bool
    """Healthy behaviour kept against forgetting, not the mending of a failure."""
    origin: ReferenceOrigin
    slice: str
    group: str
    task_id: str
    sources: tuple[TraceRef, ...]


class PairProof(Record):
    """Why chosen is better than rejected: both were scored by the task's checks."""

    chosen_reward: float
    rejected_reward: float
    checks: tuple[str, ...]


class Pair(Record):
    """Two continuations of one identical prefix."""

    id: str
    prompt: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    chosen: Message
    rejected: Message
    origin: PairOrigin
    proof: PairProof
    slice: str
    group: str
    task_id: str
    sources: tuple[TraceRef, ...]


class Unpaired(Record):
    """One assistant message that somebody found good or bad, for KTO."""

    id: str
    prompt: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    completion: Message
    is_good: bool
    slice: str
    group: str
    feedback_id: str
    sources: tuple[TraceRef, ...]
