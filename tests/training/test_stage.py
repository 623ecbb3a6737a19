"""What TRL leaves unsaid about one stage, in this process."""

from pathlib import Path

import pytest

from tests.fixtures.tiny_rows import TinyRows
from tests.fixtures.tiny_world import TINY_AGENT
from tracemill.errors import TrainingFailedError
from tracemill.training.clock import Clock
from tracemill.training.dpo import train_dpo
from tracemill.training.job import Job, StepSaid
from tracemill.training.kto import train_kto
from tracemill.training.recipe import DpoRecipe, KtoRecipe, LoraRecipe, Recipe, SftRecipe
from tracemill.training.sft import train_sft
from tracemill.training.stage import StageInput, rows_per_process

RECIPE = Recipe(
    name="one",
    max_length=128,
    sft=SftRecipe(epochs=1, batch_size=8),
    dpo=DpoRecipe(epochs=1, batch_size=8),
    kto=KtoRecipe(epochs=1, batch_size=8),
)


def stage_input(
    folder: Path, recipe: Recipe = RECIPE, *, limit_seconds: float | None = None
) -> tuple[StageInput, list[StepSaid]]:
    said: list[StepSaid] = []
    job = Job(
        round_id="round-1",
        champion_path=TINY_AGENT,
        folder=folder,
        stages=("sft",),
        recipe=recipe,
        seed=0,
        limit_seconds=limit_seconds,
        content_id="job-1",
    )
    return StageInput(job, TINY_AGENT, Clock(limit_seconds), said.append), said


def test_rows_that_trl_drops_in_silence_fail_the_stage(rows: TinyRows, tmp_path: Path) -> None:
    given, _ = stage_input(tmp_path, RECIPE.model_copy(update={"max_length": 20}))

    with pytest.raises(TrainingFailedError, match=r"given 40 rows and its trainer kept \d+"):
        train_sft(rows.examples[60:100], given=given)


def test_a_stage_near_its_limit_stops_after_a_step_and_says_so(
    rows: TinyRows, tmp_path: Path
) -> None:
    given, said = stage_input(tmp_path, limit_seconds=0.001)

    output = train_sft(rows.examples[:40], given=given)

    assert output.use.is_cut
    assert output.use.steps == len(said) == 1
    assert output.remarks == ("SFT stopped after 1 of 5 steps: the time limit",)


def test_dpo_keeps_the_reference_and_counts_what_it_read(rows: TinyRows, tmp_path: Path) -> None:
    recipe = RECIPE.model_copy(update={"lora": LoraRecipe(rank=4, alpha=8)})
    given, said = stage_input(tmp_path, recipe)

    output = train_dpo(rows.pairs[:16], given=given)

    assert (output.use.rows_given, output.use.rows_trained, output.use.steps) == (16, 16, 2)
    assert output.use.tokens > 0
    assert [step.stage for step in said] == ["dpo", "dpo"]
    # The first step of sigmoid DPO is ln 2, with the SFT term on top.
    assert output.use.first_loss > 0.69


def test_kto_learns_from_judgements_and_refuses_those_of_one_kind(
    rows: TinyRows, tmp_path: Path
) -> None:
    given, said = stage_input(tmp_path)

    output = train_kto(rows.unpaired[60:90], given=given)

    assert (output.use.rows_trained, output.use.steps, len(said)) == (30, 4, 4)
    with pytest.raises(TrainingFailedError, match="0 good and 16 bad"):
        train_kto(rows.unpaired[:16], given=given)


def test_a_batch_that_does_not_divide_among_processes_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("WORLD_SIZE", "3")

    assert rows_per_process(9) == 3
    with pytest.raises(TrainingFailedError, match="batch_size 8 is not divisible by 3 processes"):
        rows_per_process(8)
