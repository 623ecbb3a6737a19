"""KTO: learn from answers that somebody found good or bad, where no pair can be made of them.

Each answer is compared with what the reference model makes of it, and with its neighbours' answers
as mismatched ones. The rarer kind weighs more, so that both weigh the same.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from trl import KTOConfig, KTOTrainer

from tracemill.curation.rows import Unpaired
from tracemill.errors import TrainingFailedError
from tracemill.training.stage import (
    StageInput,
    StageOutput,
    chat,
    lora_config,
    rows_per_process,
    run_stage,
    tools_column,
    trainer_arguments,
)


def train_kto(rows: Sequence[Unpaired], *, given: StageInput) -> StageOutput:
    """Return the model tuned to the judgements; TrainingFailedError where that is unsound."""
    job = given.job
    recipe = job.recipe.kto
    if recipe is None:
        raise TrainingFailedError(f"recipe {job.recipe.name!r} has no [kto]: plan the round anew")
    weights = _weights(rows)

    def make_trainer(model: Any, tokenizer: Any, dataset: Any, output: Path) -> KTOTrainer:
        arguments = trainer_arguments(
            job, output, epochs=recipe.epochs, learning_rate=recipe.learning_rate
        )
        batch_size = rows_per_process(recipe.batch_size)
        config = KTOConfig(
            **arguments,
            **weights,
            max_length=job.recipe.max_length,
            beta=recipe.beta,
            per_device_train_batch_size=batch_size,
            precompute_ref_log_probs=True,
            precompute_ref_batch_size=batch_size,
        )
        return KTOTrainer(
            model,
            args=config,
            train_dataset=dataset,
            processing_class=tokenizer,
            peft_config=lora_config(job.recipe.lora),
        )

    return run_stage("kto", make_trainer, [_row(row) for row in rows], given=given)


def _weights(rows: Sequence[Unpaired]) -> dict[str, float]:
    """The weights of both kinds, the rarer one's above 1; TRL takes one kind alone in silence."""
    good = sum(row.is_good for row in rows)
    bad = len(rows) - good
    if good == 0 or bad == 0:
        raise TrainingFailedError(
            f"KTO was given {good} good and {bad} bad answers: without both kinds it only pushes "
            "the model one way; plan the round anew"
        )
    return {"desirable_weight": max(1.0, bad / good), "undesirable_weight": max(1.0, good / bad)}


def _row(row: Unpaired) -> dict[str, object]:
    return {
        "prompt": chat(row.prompt),
        "completion": chat([row.completion]),
        "label": row.is_good,
        "tools": tools_column(row.tools),
    }
