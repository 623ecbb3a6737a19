"""Whole rounds, each in a real worker process with real TRL."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psutil  # type: ignore[import-untyped]  # accelerate needs it; it has no types
import pytest
import torch
from safetensors.torch import load_file, save_file

from tests.fixtures.tiny_rows import make_rows
from tests.fixtures.tiny_world import HEALTHY, TINY_AGENT
from tests.training.conftest import RECIPES, freeze_rows, make_round, success_rates
from tracemill.curation.dataset import Dataset
from tracemill.errors import TrainingFailedError
from tracemill.training.assign import write_job
from tracemill.training.launch import Launcher
from tracemill.training.recipe import DpoRecipe, Recipe, SftRecipe, load_recipe
from tracemill.training.round import Candidate
from tracemill.training.train import train


def kill_workers_of(folder: Path) -> None:
    for process in psutil.Process().children():
        if str(folder) in " ".join(process.cmdline()):
            process.send_signal(signal.SIGKILL)


def test_a_round_mends_what_failed_and_keeps_what_worked(mended: Candidate) -> None:
    before, after = success_rates(TINY_AGENT), success_rates(mended.path)

    assert before["refund"] == before["convert"] == 0.0
    assert after["refund"] > 0.9
    assert after["convert"] > 0.7
    assert min(after[name] for name in HEALTHY) > 0.85


def test_a_candidate_says_what_it_took_and_that_it_is_sound(mended: Candidate) -> None:
    (use,) = mended.used

    assert use.rows_given == use.rows_trained == 146
    assert use.steps == mended.round.plan.stages[0].steps == 80
    assert use.tokens == mended.round.plan.stages[0].tokens
    assert use.last_loss < use.first_loss
    assert mended.integrity.weights_changed_share == 1.0
    assert mended.integrity.max_logit_difference == 0.0
    assert mended.remarks == ()
    assert mended.cost_usd > 0


def test_a_finished_round_is_not_trained_again(dataset: Dataset, mended: Candidate) -> None:
    steps: list[int] = []

    again = train(mended.round, mended.path.parent.parent, progress=lambda *said: steps.append(1))

    assert again == mended
    assert steps == []


def test_a_round_killed_before_its_last_word_is_not_trained_again(
    mended: Candidate, tmp_path: Path
) -> None:
    home = tmp_path / mended.round.id
    shutil.copytree(mended.path.parent, home)
    (home / "candidate.json").unlink()
    steps: list[int] = []

    again = train(mended.round, tmp_path, progress=lambda *said: steps.append(1))

    assert again.id == mended.id
    assert again.path == home / "weights"
    assert steps == []


def test_a_killed_round_is_an_error_and_resumes_to_the_very_same_weights(
    dataset: Dataset, tiny_recipe: Recipe, mended: Candidate, tmp_path: Path
) -> None:
    round_ = make_round(dataset, tiny_recipe.model_copy(update={"checkpoint_steps": 20}))

    def kill_at_step_50(stage: str, step: int, steps: int, loss: float) -> None:
        if step == 50:
            kill_workers_of(tmp_path)

    with pytest.raises(TrainingFailedError, match="killed by signal 9"):
        train(round_, tmp_path, threads=1, progress=kill_at_step_50)
    resumed = train(round_, tmp_path, threads=1)

    assert resumed.remarks == ("SFT resumed from checkpoint-40",)
    assert resumed.weights_sha256 == mended.weights_sha256
    assert resumed.used[0].steps == 80


def test_preferences_alone_at_a_high_rate_look_like_success_and_harm_a_slice(
    dataset: Dataset, tmp_path: Path
) -> None:
    harmful = load_recipe(RECIPES / "harmful-dpo.toml")

    candidate = train(make_round(dataset, harmful), tmp_path, threads=1)

    assert candidate.used[0].last_loss < 0.4 < candidate.used[0].first_loss
    assert success_rates(candidate.path)["cancel"] == 0.0


def test_a_round_whose_loss_is_no_number_fails(
    dataset: Dataset, tiny_recipe: Recipe, tmp_path: Path
) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(TINY_AGENT, broken)
    weights = load_file(broken / "model.safetensors")
    weights["model.norm.weight"] = torch.full_like(weights["model.norm.weight"], float("nan"))
    save_file(weights, broken / "model.safetensors", metadata={"format": "pt"})
    round_ = make_round(dataset, tiny_recipe).model_copy(update={"champion_path": broken})

    with pytest.raises(TrainingFailedError, match="SFT step 1 has loss nan"):
        train(round_, tmp_path / "rounds", threads=1)


@pytest.mark.slow
def test_a_round_killed_in_its_second_stage_keeps_the_first(
    dataset: Dataset, tiny_recipe: Recipe, tmp_path: Path
) -> None:
    both = tiny_recipe.model_copy(update={"dpo": DpoRecipe(batch_size=16)})
    round_ = make_round(dataset, both)

    def kill_in_dpo(stage: str, step: int, steps: int, loss: float) -> None:
        if stage == "DPO":
            kill_workers_of(tmp_path)

    with pytest.raises(TrainingFailedError, match="killed by signal 9"):
        train(round_, tmp_path, threads=1, progress=kill_in_dpo)
    resumed = train(round_, tmp_path, threads=1)
    alone = train(round_, tmp_path / "alone", threads=1)

    assert resumed.remarks == ("SFT was finished by an earlier try",)
    assert [use.method for use in resumed.used] == ["sft", "dpo"]
    assert resumed.weights_sha256 == alone.weights_sha256


@pytest.mark.slow
def test_a_worker_ends_with_its_parent(
    dataset: Dataset, tiny_recipe: Recipe, tmp_path: Path
) -> None:
    long = tiny_recipe.model_copy(update={"sft": SftRecipe(epochs=1000)})
    job = write_job(dataset, make_round(dataset, long), home=tmp_path)
    script = (
        "import sys; from pathlib import Path; from tracemill.training.job import Job; "
        "from tracemill.training.run_job import run_job; "
        "from tracemill.training.launch import Launcher; "
        "run_job(Job.from_json(Path(sys.argv[1]).read_text()), launcher=Launcher(), threads=1,"
        " progress=lambda *said: print(said, flush=True))"
    )
    parent = psutil.Popen(
        [sys.executable, "-c", script, str(job.folder / "job.json")], stdout=subprocess.PIPE
    )
    parent.stdout.readline()
    (worker,) = parent.children()

    parent.kill()
    parent.wait()

    assert worker.wait(timeout=20) is None or not worker.is_running()


@pytest.mark.slow
def test_two_processes_train_what_one_does(tiny_recipe: Recipe, tmp_path: Path) -> None:
    recipe = tiny_recipe.model_copy(update={"sft": SftRecipe(epochs=2, batch_size=16)})
    dataset = freeze_rows(make_rows(100, failures=32, healthy=32), tmp_path / "datasets")
    round_ = make_round(dataset, recipe)

    one = train(round_, tmp_path / "one", threads=1)
    two = train(round_, tmp_path / "two", threads=1, launcher=Launcher(processes=2))

    assert [use.steps for use in one.used] == [use.steps for use in two.used] == [8]
    ones, twos = (load_file(found.path / "model.safetensors") for found in (one, two))
    assert max(float((ones[name] - twos[name]).abs().max()) for name in ones) < 1e-5


def test_the_environment_of_a_worker_is_the_callers_with_its_threads() -> None:
    environment = Launcher(processes=2).environment(threads=3)

    assert environment["OMP_NUM_THREADS"] == "3"
    assert environment["PATH"] == os.environ["PATH"]
