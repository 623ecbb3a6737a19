"""The tasks' checks as rewards, in this process, with real TRL."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.fixtures.tiny_rows import make_task
from tests.fixtures.tiny_world import TINY_AGENT, make_requests
from tracemill.curation.task import EnvironmentRef, Task
from tracemill.errors import TrainingFailedError
from tracemill.training.clock import Clock
from tracemill.training.grpo import train_grpo
from tracemill.training.job import Job
from tracemill.training.recipe import GrpoRecipe, Recipe
from tracemill.training.stage import StageInput


def tasks_of(kind: str, count: int = 16) -> tuple[Task, ...]:
    requests = {request.text: request for request in make_requests(40, 3 * count, (kind,))}
    return tuple(make_task(request) for request in requests.values())[:count]


def stage_input(folder: Path, *, steps: int) -> StageInput:
    recipe = GrpoRecipe(steps=steps, learning_rate=5e-4, max_tokens=30)
    job = Job(
        round_id="round-1",
        champion_path=TINY_AGENT,
        folder=folder,
        stages=("grpo",),
        recipe=Recipe(name="tries", max_length=128, grpo=recipe),
        seed=0,
        limit_seconds=None,
        content_id="job-1",
    )
    return StageInput(job, TINY_AGENT, Clock(None), lambda said: None)


def test_what_the_model_sometimes_does_it_learns_to_do(tmp_path: Path) -> None:
    output = train_grpo(tasks_of("refund"), given=stage_input(tmp_path, steps=12))

    rewards = [reward for _, reward in output.use.rewards]
    assert len(rewards) == output.use.steps == 12
    assert sum(rewards[:4]) / 4 < 0.5
    assert sum(rewards[-4:]) / 4 > 0.8


def test_tasks_that_are_always_solved_teach_nothing_and_the_round_says_so(tmp_path: Path) -> None:
    with pytest.raises(TrainingFailedError, match="always or never solves"):
        train_grpo(tasks_of("weather", 8), given=stage_input(tmp_path, steps=2))


def test_an_outage_of_the_environment_is_no_reward(tmp_path: Path) -> None:
    gone = EnvironmentRef(factory="tests.fixtures.tiny_world:Vanished", state=None)
    tasks: Sequence[Task] = [
        task.model_copy(update={"environment": gone}) for task in tasks_of("refund", 8)
    ]

    with pytest.raises(TrainingFailedError, match="an outage is no reward"):
        train_grpo(tasks, given=stage_input(tmp_path, steps=2))
