"""One stage of a round: a TRL trainer over rows, from one folder of weights to the next."""

import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from datasets import Dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer, PrinterCallback, set_seed

from tracemill.errors import TrainingFailedError
from tracemill.ingest.trace import Message, ToolSpec
from tracemill.training.chat_template import render_fingerprint
from tracemill.training.clock import Clock
from tracemill.training.complete import newest_checkpoint
from tracemill.training.fit import chat_tools
from tracemill.training.job import Job
from tracemill.training.local_model import has_fast_bfloat16
from tracemill.training.prefix_sharing import shared_prefixes
from tracemill.training.recipe import LoraRecipe
from tracemill.training.round import StageName, StageUse
from tracemill.training.watch import Say, Watch


class StageInput(NamedTuple):
    """What a stage starts from."""

    job: Job
    base: Path
    """Weights that it continues."""
    clock: Clock
    say: Say


class StageOutput(NamedTuple):
    """What a stage ends with."""

    model: Any
    """As the trainer holds it, adapters and all."""
    use: StageUse
    remarks: tuple[str, ...]


def run_stage(
    method: StageName, make_trainer: Any, rows: Sequence[dict[str, object]], *, given: StageInput
) -> StageOutput:
    """Train on the rows; return the model and what it took.

    `make_trainer(model, tokenizer, dataset, output folder)` returns a TRL trainer.
    Raises TrainingFailedError where TRL drops a row, takes no step, changes the tokenizer, or has
    a loss that is no number.
    """
    started = time.monotonic()
    job = given.job
    set_seed(job.seed)
    model = load_model(given.base, job.recipe.dtype)
    tokenizer = AutoTokenizer.from_pretrained(given.base)
    rendering = render_fingerprint(tokenizer)
    dataset = Dataset.from_list([dict(row) for row in rows], on_mixed_types="use_json")
    output = job.folder / "checkpoints" / method
    trainer = make_trainer(model, tokenizer, dataset, output)
    trained_rows = len(trainer.train_dataset)
    if trained_rows != len(rows):
        raise TrainingFailedError(
            f"{method.upper()} of round {job.round_id!r} was given {len(rows)} rows and its trainer "
            f"kept {trained_rows}: raise max_length in recipe {job.recipe.name!r}"
        )
    watch = Watch(method, clock=given.clock, say=given.say, job=job.content_id)
    checkpoint = newest_checkpoint(output, job=job.content_id)
    _train(trainer, watch, checkpoint)
    if render_fingerprint(trainer.processing_class) != rendering:
        raise TrainingFailedError(
            f"{method.upper()} of round {job.round_id!r} trained with another tokenizer or chat "
            "template than production's: give the champion a template that TRL need not patch"
        )
    use = _use(method, len(rows), trainer, watch, seconds=time.monotonic() - started)
    return StageOutput(trainer.model, use, _remarks(use, trainer.state.max_steps, checkpoint))


def _train(trainer: Any, watch: Watch, checkpoint: Path | None) -> None:
    trainer.remove_callback(PrinterCallback)
    trainer.add_callback(watch)
    with shared_prefixes(trainer.model):
        trainer.train(resume_from_checkpoint=None if checkpoint is None else str(checkpoint))


def _use(method: StageName, rows: int, trainer: Any, watch: Watch, *, seconds: float) -> StageUse:
    # The trainer's own history covers the steps before a resume, the watch only those after it.
    history = [entry for entry in trainer.state.log_history if "loss" in entry]
    losses = tuple((int(entry["step"]), float(entry["loss"])) for entry in history)
    if trainer.state.global_step < 1 or not losses:
        raise TrainingFailedError(
            f"{method.upper()} took no step on {rows} rows: nothing was trained"
        )
    return StageUse(
        method=method,
        rows_given=rows,
        rows_trained=len(trainer.train_dataset),
        steps=trainer.state.global_step,
        tokens=watch.tokens,
        seconds=seconds,
        first_loss=losses[0][1],
        last_loss=losses[-1][1],
        losses=losses,
        rewards=tuple(
            (int(entry["step"]), float(entry["reward"])) for entry in history if "reward" in entry
        ),
        is_cut=watch.is_cut,
    )


def _remarks(use: StageUse, steps: int, checkpoint: Path | None) -> tuple[str, ...]:
    name = use.method.upper()
    resumed = () if checkpoint is None else (f"{name} resumed from {checkpoint.name}",)
    cut = (f"{name} stopped after {use.steps} of {steps} steps: the time limit",)
    return (*resumed, *(cut if use.is_cut else ()))


def load_model(folder: Path, dtype: str) -> Any:
    """Return the model in `folder` in this dtype, or in float32 where bfloat16 would be slower."""
    if dtype == "bfloat16" and not torch.cuda.is_available() and not has_fast_bfloat16():
        dtype = "float32"
    return AutoModelForCausalLM.from_pretrained(
        folder, dtype=getattr(torch, dtype), use_safetensors=True
    )


def trainer_arguments(
    job: Job, output: Path, *, epochs: float, learning_rate: float
) -> dict[str, Any]:
    """Return the arguments that all TRL trainers share.

    Several are the opposite of TRL's defaults, which suit a GPU and hide a NaN.
    """
    is_gpu = torch.cuda.is_available()
    return {
        "output_dir": str(output),
        "num_train_epochs": epochs,
        "learning_rate": learning_rate,
        "seed": job.seed,
        "data_seed": job.seed,
        "use_cpu": not is_gpu,
        "gradient_checkpointing": is_gpu,
        "bf16": False,
        "fp16": False,
        "report_to": "none",
        "disable_tqdm": True,
        "logging_steps": 1,
        "logging_nan_inf_filter": False,
        "save_strategy": "steps",
        "save_steps": job.recipe.checkpoint_steps,
        "save_total_limit": 2,
        "warmup_steps": 1,
        "dataloader_pin_memory": is_gpu,
    }


def rows_per_process(batch_size: int) -> int:
    """Return the batch of one process, so that all processes together take `batch_size` rows.

    Raises TrainingFailedError where it does not divide evenly.
    """
    processes = int(os.environ.get("WORLD_SIZE", "1"))
    if batch_size % processes:
        raise TrainingFailedError(
            f"batch_size {batch_size} is not divisible by {processes} processes: change one of both"
        )
    return batch_size // processes


def lora_config(recipe: LoraRecipe | None) -> LoraConfig | None:
    """Return the adapters as PEFT takes them; None where all weights are trained."""
    if recipe is None:
        return None
    return LoraConfig(
        r=recipe.rank, lora_alpha=recipe.alpha, target_modules="all-linear", task_type="CAUSAL_LM"
    )


def chat(messages: Sequence[Message]) -> list[dict[str, object]]:
    """Return the messages as TRL takes them."""
    return [dict(message.to_chat()) for message in messages]


def tools_column(tools: Sequence[ToolSpec]) -> str | None:
    """Return the tools as the JSON text that TRL also takes: Arrow would merge their schemas."""
    offered = chat_tools(tools)
    return None if offered is None else json.dumps(offered)
