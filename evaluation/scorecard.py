"""Scorecard: one model's rollouts over a suite, task by task, seed by seed."""

from tracemill.curation.rollout import Rollout
from tracemill.ingest.trace import ModelRef
from tracemill.record import Record


class Scorecard(Record):
    """All rollouts of one model over one suite."""

    model: ModelRef
    suite_id: str
    seeds: tuple[int, ...]
    rollouts: tuple[Rollout, ...]
    seconds: float
