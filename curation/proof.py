"""Proof: what one message is worth as a continuation of a task's prompt.

Drafting admits a task, and a pair names its sides, only by what is proved here.
"""

from tracemill.curation.checks import FULL, score
from tracemill.curation.episode import EpisodeResult, EpisodeStart, run_message
from tracemill.curation.restore import environment_of
from tracemill.curation.task import Task
from tracemill.errors import EnvironmentFailedError
from tracemill.ingest.trace import Message

__all__ = ["FULL", "reward_of"]


def reward_of(task: Task, message: Message) -> float:
    """Return the reward (0 to 1) of saying `message` after the task's prompt.

    Its calls are made in the task's environment, where there is one. Raises
    EnvironmentFailedError where that fails.
    """
    environment = environment_of(task)
    start = EpisodeStart(task.prompt, task.tools, environment)
    result: EpisodeResult = run_message(start, message)
    if result.ending == "infrastructure":
        raise EnvironmentFailedError(result.error or "the episode failed")
    return score(task, result.messages, environment)[1]
