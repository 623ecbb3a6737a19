"""Rollout: a model's try at a task, scored by the task's checks."""

from typing import Literal

from tracemill.ingest.trace import Message, ModelRef
from tracemill.record import Record

RolloutStatus = Literal["scored", "infrastructure", "unscorable"]


class CheckResult(Record):
    """One check's verdict on one rollout."""

    check: str
    """The check's kind, with the tool where there is one."""
    passed: bool
    detail: str = ""
    """What was wanted and what was found, where it failed."""


class Rollout(Record):
    """One try of one model at one task."""

    task_id: str
    model: ModelRef
    seed: int
    status: RolloutStatus
    reward: float | None
    """Weighted share of passed checks where scored; None otherwise, never 0."""
    checks: tuple[CheckResult, ...] = ()
    reason: str = ""
    """Why it is not scored."""
    messages: tuple[Message, ...]
    """What the rollout added to the prompt."""
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    is_truncated: bool = False

    @property
    def passed(self) -> bool:
        """Whether every check accepted the rollout."""
        return self.reward is not None and self.reward >= 1.0 - 1e-9
