"""DPO with an SFT term: prefer the chosen message to the rejected one after the same prefix.

The preference loss alone lowers both sides as long as the gap grows, and on few pairs it unlearns
what the pairs do not mention; the SFT term holds the chosen side up. The reference model's
log-probabilities are computed once beforehand, so that no second model is kept.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from trl import DPOConfig, DPOTrainer

from tracemill.curation.rows import Pair
from tracemill.errors import TrainingFailedError
from tracemill.training.recipe import DpoRecipe
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


def train_dpo(pairs: Sequence[Pair], *, given: StageInput) -> StageOutput:
    """Return the model tuned to the pairs; TrainingFailedError where that is unsound."""
    job = given.job
    recipe = job.recipe.dpo
    if recipe is None:
        raise TrainingFailedError(f"recipe {job.recipe.name!r} has no [dpo]: plan the round anew")

    def make_trainer(model: Any, tokenizer: Any, dataset: Any, output: Path) -> DPOTrainer:
        arguments = trainer_arguments(
            job, output, epochs=recipe.epochs, learning_rate=recipe.learning_rate
        )
        batch_size = rows_per_process(recipe.batch_size)
        config = DPOConfig(
            **arguments,
            max_length=job.recipe.max_length,
            **_loss(recipe),
            per_device_train_batch_size=batch_size,
            precompute_ref_log_probs=True,
            precompute_ref_batch_size=batch_size,
        )
        return DPOTrainer(
            model,
            args=config,
            train_dataset=dataset,
            processing_class=tokenizer,
            peft_config=lora_config(job.recipe.lora),
        )

    return run_stage("dpo", make_trainer, [_row(pair) for pair in pairs], given=given)


def _loss(recipe: DpoRecipe) -> dict[str, Any]:
    if recipe.sft_weight <= 0:
        return {"beta": recipe.beta, "loss_type": ["sigmoid"]}
    return {
        "beta": recipe.beta,
        "loss_type": ["sigmoid", "sft"],
        "loss_weights": [1.0, recipe.sft_weight],
    }


def _row(pair: Pair) -> dict[str, object]:
    return {
        "prompt": chat(pair.prompt),
        "chosen": chat([pair.chosen]),
        "rejected": chat([pair.rejected]),
        "tools": tools_column(pair.tools),
    }
