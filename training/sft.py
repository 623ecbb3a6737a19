"""SFT at the decision point: the prefix is the prompt, one verified message is the completion.

Only the completion is in the loss, so that an earlier wrong turn in the prefix is not learnt.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from trl import SFTConfig, SFTTrainer

from tracemill.curation.rows import Example
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


def train_sft(examples: Sequence[Example], *, given: StageInput) -> StageOutput:
    """Return the model fine-tuned on the examples; TrainingFailedError where that is unsound."""
    job = given.job
    recipe = job.recipe.sft
    if recipe is None:
        raise TrainingFailedError(f"recipe {job.recipe.name!r} has no [sft]: plan the round anew")

    def make_trainer(model: Any, tokenizer: Any, dataset: Any, output: Path) -> SFTTrainer:
        arguments = trainer_arguments(
            job, output, epochs=recipe.epochs, learning_rate=recipe.learning_rate
        )
        config = SFTConfig(
            **arguments,
            max_length=job.recipe.max_length,
            per_device_train_batch_size=rows_per_process(recipe.batch_size),
            completion_only_loss=True,
        )
        return SFTTrainer(
            model,
            args=config,
            train_dataset=dataset,
            processing_class=tokenizer,
            peft_config=lora_config(job.recipe.lora),
        )

    return run_stage("sft", make_trainer, [_row(example) for example in examples], given=given)


def _row(example: Example) -> dict[str, object]:
    return {
        "prompt": chat(example.prompt),
        "completion": chat([example.completion]),
        "tools": tools_column(example.tools),
    }
