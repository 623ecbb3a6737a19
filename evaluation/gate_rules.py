"""GateRules: what a candidate must show before it may become champion."""

from typing import Annotated

from pydantic import Field

from tracemill.record import Record

Margin = Annotated[float, Field(gt=0, lt=1)]


class GateRules(Record):
    """The thresholds of the gate. Shares run from 0 to 1."""

    alpha: float = Field(default=0.05, gt=0, lt=0.5)
    """Chance of promoting a candidate that is no better, at most."""
    spreads_alpha: bool = True
    """Whether alpha holds for all nights that use the same tasks together, not for each."""
    min_effect: float = Field(default=0.01, ge=0, lt=1)
    """A smaller gain over the whole suite is not worth a change of model."""
    slice_margin: Margin = 0.05
    """Loss in a slice that is tolerated; that the true loss is smaller must be shown."""
    slice_margins: dict[str, Margin] = Field(default_factory=dict)
    """Margins of single slices, by the slice's name."""
    level: float = Field(default=0.90, gt=0.5, lt=1)
    """Two-sided confidence of every interval; 0.90 errs on each side in one of twenty cases."""
    min_tasks: int = Field(default=20, ge=1)
    """Fewer tasks than this are no evidence, whatever they say."""
    min_scored_share: float = Field(default=0.99, gt=0, le=1)
    """Share of tries that must have a score on both sides."""
    max_length_ratio: float = Field(default=2.0, gt=1)
    """Tokens written to pass a task, candidate over champion, on the tasks that both pass."""
    power: float = Field(default=0.8, gt=0, lt=1)
    """Chance of success that the stated numbers of tasks needed aim at."""

    def margin(self, slice_name: str) -> float:
        """Return the loss tolerated in this slice."""
        return self.slice_margins.get(slice_name, self.slice_margin)
