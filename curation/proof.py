"""Proof: what one message is worth as a continuation of a task's prompt.

Drafting admits a task, and a pair names its sides, only by what is proved here.
"""

from tracemill.curation.checks import score
from tracemill.curation.episode import EpisodeResult, EpisodeStart, run_message
from tracemill.curation.restore import environment_of
from tracemill.curation.task import Task
from tracemill.errors import EnvironmentFailedError
from tracemill.ingest.trace import Message

FULL = 1.0 - 1e-9
"""From here a reward is full: every check passed."""


def reward_of(task: Task, message: Message) -> float:
    """Return the reward (0 to 1) of saying `message` after the task's prompt.

    Its calls are made in the task's environment, where there is one. Raises
    EnvironmentFailedError where that fails.
    """
    environment = environment_of(task)
    start = EpisodeStart(task.prompt, task.tools, environment)
    result: EpisodeResult = run_message(start, message)
    if result.error is not None:
        raise EnvironmentFailedError(result.error)
    return score(task, result.messages, environment)[1]
