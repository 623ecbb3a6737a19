"""Rollout: a model's try at a task, scored by the task's checks."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Literal

from tracemill.curation.calls import outage_in
from tracemill.curation.chat import ChatModel
from tracemill.curation.checks import FULL, CheckResult, score
from tracemill.curation.environment import Environment
from tracemill.curation.episode import EpisodeResult, EpisodeStart, Sampling, run_episodes
from tracemill.curation.restore import environment_of
from tracemill.curation.shape import first_line
from tracemill.curation.task import EnvironmentCheck, Task
from tracemill.errors import CheckNotRunError, EnvironmentFailedError
from tracemill.ingest.trace import Message, ModelRef
from tracemill.record import Record

__all__ = ["CheckResult", "Rollout", "RolloutStatus", "roll_out"]

RolloutStatus = Literal["scored", "infrastructure", "unscorable"]


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
        return self.reward is not None and self.reward >= FULL


def roll_out(  # noqa: PLR0913 - how a model is asked, each with a default
    model: ChatModel,
    tasks: Sequence[Task],
    *,
    seeds: Sequence[int] = (0,),
    temperature: float = 0.0,
    max_tokens: int = 128,
    batch_size: int = 32,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Rollout, ...]:
    """Return one rollout for each seed and task: all tasks at the first seed, then the next.

    What fails around the model (its endpoint, the environment) is "infrastructure", an answer
    cut at `max_tokens` or a check that could not be run is "unscorable"; neither has a reward. `progress` hears (done, of all).
    """
    rollouts: list[Rollout] = []
    for seed in seeds:
        sampling = Sampling(seed, temperature, max_tokens, batch_size)
        for first in range(0, len(tasks), batch_size):
            rollouts += _roll_out_batch(model, tasks[first : first + batch_size], sampling)
            if progress is not None:
                progress(len(rollouts), len(tasks) * len(seeds))
    return tuple(rollouts)


def _roll_out_batch(model: ChatModel, tasks: Sequence[Task], sampling: Sampling) -> list[Rollout]:
    """Rollouts of a few tasks, each in an environment of its own."""
    rollouts: dict[int, Rollout] = {}
    worlds: dict[int, Environment | None] = {}
    with ExitStack() as lent:
        for index, task in enumerate(tasks):
            try:
                worlds[index] = lent.enter_context(environment_of(task))
            except EnvironmentFailedError as error:
                nothing = EpisodeResult((), (), "infrastructure", str(error))
                rollouts[index] = _judge(task, nothing, None, model.ref, sampling.seed)
        starts = [_start(tasks[index], world) for index, world in worlds.items()]
        results = run_episodes(model, starts, sampling=sampling)
        for (index, world), result in zip(worlds.items(), results, strict=True):
            rollouts[index] = _judge(tasks[index], result, world, model.ref, sampling.seed)
    return [rollouts[index] for index in range(len(tasks))]


def _start(task: Task, environment: Environment | None) -> EpisodeStart:
    return EpisodeStart(
        messages=task.prompt,
        tools=task.tools,
        environment=environment,
        max_steps=task.max_steps,
        ends_when_fulfilled=any(isinstance(check, EnvironmentCheck) for check in task.checks),
    )


def _judge(
    task: Task,
    result: EpisodeResult,
    environment: Environment | None,
    model: ModelRef,
    seed: int,
) -> Rollout:
    status, reason, checks, reward = _score(task, result, environment)
    return Rollout(
        task_id=task.id,
        model=model,
        seed=seed,
        status=status,
        reward=reward,
        checks=checks,
        reason=reason,
        messages=result.messages,
        prompt_tokens=sum(step.prompt_tokens for step in result.steps),
        completion_tokens=_completion_tokens(result),
        seconds=sum(step.seconds for step in result.steps),
        is_truncated=result.ending == "truncated",
    )


def _completion_tokens(result: EpisodeResult) -> int:
    return sum(step.completion_tokens for step in result.steps)


def _score(
    task: Task, result: EpisodeResult, environment: Environment | None
) -> tuple[RolloutStatus, str, tuple[CheckResult, ...], float | None]:
    """Status, reason, checks and reward."""
    if result.ending == "infrastructure":
        return "infrastructure", result.error or "the episode failed", (), None
    if result.ending == "truncated":
        return "unscorable", "cut at the token limit: raise max_tokens", (), None
    try:
        checks, reward = score(
            task, result.messages, environment, completion_tokens=_completion_tokens(result)
        )
    except CheckNotRunError as error:
        return "unscorable", str(error), (), None
    except EnvironmentFailedError as error:
        return "infrastructure", str(error), (), None
    if reward < FULL and (outage := outage_in(result.messages)) is not None:
        return "infrastructure", f"a tool met an outage: {first_line(outage)}", (), None
    if result.ending == "unrecorded" and reward < FULL:
        return "unscorable", result.error or "a call was never recorded", (), None
    return "scored", "", checks, reward
