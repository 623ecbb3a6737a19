"""Assign: write down what a worker is to train on, exactly as the plan says."""

import hashlib
from pathlib import Path
from typing import Any

from transformers import AutoTokenizer

from tracemill.errors import TrainingFailedError
from tracemill.record import Record, content_id
from tracemill.training.chat_template import render_fingerprint
from tracemill.training.choose import choose_examples, choose_pairs, choose_tasks, choose_unpaired
from tracemill.training.fit import fit_examples, fit_pairs, fit_tasks, fit_unpaired
from tracemill.training.job import ROW_FILES, Job, write_rows
from tracemill.training.recipe import Recipe
from tracemill.training.round import Round, StagePlan
from tracemill.training.training_rows import TrainingRows
from tracemill.training.weights import weights_sha256


def write_job(dataset: TrainingRows, round_: Round, *, home: Path) -> Job:
    """Return the job, written to `home` with its rows.

    Raises TrainingFailedError where the dataset does not give the rows that were planned.
    """
    tokenizer = AutoTokenizer.from_pretrained(round_.champion_path)
    written = [_write_rows(stage, dataset, round_, home, tokenizer) for stage in round_.plan.stages]
    identity = [
        weights_sha256(round_.champion_path),
        render_fingerprint(tokenizer),
        [[path.name, _sha256(path)] for path in written],
        round_.recipe.model_dump(),
        round_.seed,
    ]
    job = Job(
        round_id=round_.id,
        champion_path=round_.champion_path.resolve(),
        folder=home.resolve(),
        stages=tuple(stage.method for stage in round_.plan.stages),
        recipe=round_.recipe,
        seed=round_.seed,
        limit_seconds=round_.plan.limit_seconds,
        content_id=content_id("job", identity),
    )
    (home / "job.json").write_text(job.to_json())
    return job


def _write_rows(
    stage: StagePlan, dataset: TrainingRows, round_: Round, home: Path, tokenizer: Any
) -> Path:
    """Write the rows of this stage, as many as were planned, and return the file."""
    rows = _chosen(stage, dataset, round_.recipe, tokenizer)
    if len(rows) != stage.rows:
        raise TrainingFailedError(
            f"the plan has {stage.rows} rows for {stage.method.upper()} and the dataset gives "
            f"{len(rows)}: plan the round anew"
        )
    path = home / ROW_FILES[stage.method]
    write_rows(path, rows)
    return path


def _chosen(
    stage: StagePlan, dataset: TrainingRows, recipe: Recipe, tokenizer: Any
) -> tuple[Record, ...]:
    match stage.method:
        case "sft":
            share = recipe.sft.replay_share if recipe.sft else 0.0
            examples = fit_examples(dataset.examples, recipe, tokenizer).rows
            return choose_examples(examples, replay_share=share, limit=stage.rows).rows
        case "dpo":
            pairs = fit_pairs(dataset.pairs, recipe, tokenizer).rows
            return choose_pairs(pairs, limit=stage.rows)
        case "kto":
            judged = fit_unpaired(dataset.unpaired, recipe, tokenizer).rows
            return choose_unpaired(judged, limit=stage.rows)
        case "grpo":
            share = recipe.grpo.replay_share if recipe.grpo else 0.0
            tasks = fit_tasks(dataset.tasks, recipe, tokenizer).rows
            return choose_tasks(tasks, replay_share=share)


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
