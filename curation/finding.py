"""Finding: one claim by one detector about one trace at one step."""

from datetime import datetime
from typing import Literal

from tracemill.ingest.trace import ModelRef
from tracemill.record import Record

FindingClass = Literal["agent", "tool", "infrastructure", "policy", "drift", "edge case"]
Standing = Literal["new", "growing", "steady", "fixed", "regressed"]


class Finding(Record):
    """One weakness seen once, with the evidence for it."""

    id: str
    """Of content: the same detector version on the same revision gives the same id."""
    detector: str
    detector_version: int
    trace_id: str
    revision: int
    step: int | None = None
    """Index of the assistant message at fault; None: the trace as a whole."""
    claim: str
    """What went wrong, in words an engineer would use."""
    evidence: str
    """The text that shows it, cut to a few hundred characters."""
    severity: float
    """0 (a curiosity) to 1 (the episode failed by it)."""
    kind: FindingClass
    tool: str | None = None
    request: str | None = None
    """The shape of what had been asked for, where the claim alone does not tell one weakness from
    another."""
    model: ModelRef
    agent: str
    seen_at: datetime
    """When the trace ended, or began where no end is known."""


class ModeCount(Record):
    """How often a mode was seen in one night from one model version."""

    night: str
    """ISO date, UTC."""
    model: str
    traces: int


class FailureMode(Record):
    """Findings that belong together, under an id that stays the same from night to night."""

    id: str
    name: str
    """Made of its own findings' words."""
    detector: str
    tool: str | None = None
    kind: FindingClass
    signature: str
    """What its findings share; the id is made of it."""
    exemplars: tuple[str, ...]
    """Trace ids, the clearest first."""
    counts: tuple[ModeCount, ...]
    standing: Standing
    fixed_in: str | None = None
    """Model version (`name@version`) in which it was last found to be gone."""
    regressed_in: str | None = None
    """Model version in which it came back after that; None where it did not."""
