"""Verdict: the gate's decision with its reasons and the evidence behind it."""

from typing import Literal

from tracemill.ingest.trace import ModelRef
from tracemill.record import Record

VerdictOutcome = Literal["promote", "hold", "insufficient evidence"]
SliceOutcome = Literal["pass", "fail", "insufficient"]


class Interval(Record):
    """A difference candidate minus champion, as shares from -1 to 1."""

    estimate: float
    low: float
    high: float
    level: float
    """Confidence, for example 0.95."""


class SliceResult(Record):
    """One slice, or all tasks together."""

    name: str
    tasks: int
    tries: int
    """Tasks times seeds, where both models were scored."""
    champion_rate: float
    candidate_rate: float
    gained: int
    lost: int
    difference: Interval
    margin: float | None = None
    """The loss that is still tolerated; None for the whole suite."""
    outcome: SliceOutcome
    reason: str


class Verdict(Record):
    """Promote, hold, or insufficient evidence."""

    outcome: VerdictOutcome
    reasons: tuple[str, ...]
    """In words, the deciding one first."""
    champion: ModelRef
    candidate: ModelRef
    suite_id: str
    p_value: float | None
    """One-sided mid-p McNemar for the whole suite."""
    overall: SliceResult | None
    slices: tuple[SliceResult, ...]
    fixed: tuple[str, ...]
    """Task ids that only the candidate passes; with several seeds, that it passes in more."""
    broken: tuple[str, ...]
    """Task ids that only the champion passes; with several seeds, that it passes in more."""
    needed: str = ""
    """What more evidence it would take."""
    alpha: float | None = None
    """What the p-value had to stay under."""
    excluded: int = 0
    """Tries without a score on one side or both: they count for neither."""

    @property
    def promotes(self) -> bool:
        """Whether the candidate may become champion."""
        return self.outcome == "promote"
