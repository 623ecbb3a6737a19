"""Assign: write down what a worker is to train on, exactly as the plan says."""

import hashlib
from pathlib import Path
from typing import Any

from transformers import AutoTokenizer

from tracemill.errors import TrainingFailedError
from tracemill.record import content_id
from tracemill.training.chat_template import render_fingerprint
from tracemill.training.choose import choose_examples, choose_pairs, choose_tasks
from tracemill.training.fit import fit_examples, fit_pairs, fit_tasks
from tracemill.training.job import ROW_FILES, Job, write_rows
from tracemill.training.plan import TrainingRows
from tracemill.training.round import Round, StagePlan
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
    recipe, path = round_.recipe, home / ROW_FILES[stage.method]
    if stage.method == "sft":
        share = recipe.sft.replay_share if recipe.sft else 0.0
        fitted = fit_examples(dataset.examples, recipe, tokenizer)
        examples = choose_examples(fitted.rows, replay_share=share, limit=stage.rows).rows
        write_rows(path, examples)
        _refuse_other_count(stage, len(examples))
    elif stage.method == "grpo":
        share = recipe.grpo.replay_share if recipe.grpo else 0.0
        tasks = choose_tasks(fit_tasks(dataset.tasks, recipe, tokenizer).rows, replay_share=share)
        write_rows(path, tasks)
        _refuse_other_count(stage, len(tasks))
    else:
        pairs = choose_pairs(fit_pairs(dataset.pairs, recipe, tokenizer).rows, limit=stage.rows)
        write_rows(path, pairs)
        _refuse_other_count(stage, len(pairs))
    return path


def _refuse_other_count(stage: StagePlan, count: int) -> None:
    if count != stage.rows:
        raise TrainingFailedError(
            f"the plan has {stage.rows} rows for {stage.method.upper()} and the dataset gives "
            f"{count}: plan the round anew"
        )


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
