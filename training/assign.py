"""Assign: write down what a worker is to train on, exactly as the plan says."""

from collections.abc import Sequence
from pathlib import Path

from transformers import AutoTokenizer

from tracemill.errors import TrainingFailedError
from tracemill.record import content_id
from tracemill.training.choose import choose_examples, choose_pairs
from tracemill.training.fit import fit_examples, fit_pairs
from tracemill.training.job import Job, write_rows
from tracemill.training.plan import TrainingRows
from tracemill.training.round import Round, StagePlan
from tracemill.training.weights import weights_sha256


def write_job(dataset: TrainingRows, round_: Round, *, home: Path) -> Job:
    """Return the job, written to `home` with its rows.

    Raises TrainingFailedError where the dataset does not give the rows that were planned.
    """
    rows = _write_chosen_rows(dataset, round_, home)
    identity = [
        weights_sha256(round_.champion_path),
        rows,
        round_.recipe.model_dump(),
        round_.seed,
        [stage.method for stage in round_.plan.stages],
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


def _write_chosen_rows(dataset: TrainingRows, round_: Round, home: Path) -> list[str]:
    """Write the rows of each planned stage; return their ids."""
    tokenizer = AutoTokenizer.from_pretrained(round_.champion_path)
    recipe = round_.recipe
    written: list[str] = []
    for stage in round_.plan.stages:
        if stage.method == "sft":
            share = recipe.sft.replay_share if recipe.sft else 0.0
            fitted = fit_examples(dataset.examples, recipe, tokenizer)
            examples = choose_examples(fitted.rows, replay_share=share, limit=stage.rows).rows
            write_rows(home / "examples.jsonl", examples)
            written += _as_planned(stage, [row.id for row in examples])
        else:
            pairs = choose_pairs(fit_pairs(dataset.pairs, recipe, tokenizer).rows, limit=stage.rows)
            write_rows(home / "pairs.jsonl", pairs)
            written += _as_planned(stage, [row.id for row in pairs])
    return written


def _as_planned(stage: StagePlan, ids: Sequence[str]) -> Sequence[str]:
    if len(ids) != stage.rows:
        raise TrainingFailedError(
            f"the plan has {stage.rows} rows for {stage.method.upper()} and the dataset gives "
            f"{len(ids)}: plan the round anew"
        )
    return ids
