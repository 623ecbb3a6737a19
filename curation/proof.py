"""Proof: what one message is worth as a continuation of a task's prompt.

Drafting admits a task, and a pair names its sides, only by what is proved here.
"""

from collections.abc import Sequence

from tracemill.curation.calls import outage_in
from tracemill.curation.check_result import CheckResult
from tracemill.curation.checks import FULL, score
from tracemill.curation.episode import EpisodeStart, run_messages
from tracemill.curation.restore import environment_of
from tracemill.curation.shape import first_line
from tracemill.curation.task import Task
from tracemill.errors import EnvironmentFailedError
from tracemill.ingest.trace import Message

__all__ = ["FULL", "checks_failed_by_reference", "reward_of", "reward_of_reference"]


def reward_of(task: Task, message: Message) -> float:
    """Return the reward (0 to 1) of saying `message` after the task's prompt.

    Its calls are made in the task's environment, where there is one. Raises
    EnvironmentFailedError where that fails.
    """
    return _play(task, (message,))[1]


def reward_of_reference(task: Task) -> float:
    """Return the reward (0 to 1) of the task's whole reference; raises as `reward_of` does."""
    return _play(task, (task.reference, *task.reference_rest))[1]


def checks_failed_by_reference(task: Task) -> tuple[CheckResult, ...]:
    """Return the checks that the task's whole reference does not pass; raises as `reward_of` does."""
    results, _ = _play(task, (task.reference, *task.reference_rest))
    return tuple(result for result in results if not result.passed)


def _play(task: Task, messages: Sequence[Message]) -> tuple[tuple[CheckResult, ...], float]:
    with environment_of(task) as environment:
        start = EpisodeStart(task.prompt, task.tools, environment, max_steps=len(messages))
        result = run_messages(start, messages)
        if result.ending == "infrastructure":
            raise EnvironmentFailedError(result.error or "the episode failed")
        results, reward = score(task, result.messages, environment)
        outage = outage_in(result.messages) if reward < FULL else None
        if outage is not None:
            raise EnvironmentFailedError(f"a tool met an outage: {first_line(outage)}")
        return results, reward
