"""Watch: what is looked at while a trainer runs.

Each step is said aloud, a loss that is no number ends the round at once, a checkpoint is marked
complete when its files are there, and near the time limit the trainer stops with what it has.
"""

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from transformers import (
    TrainerCallback,
    TrainerControl,
    TrainerState,
    TrainingArguments,
)

from tracemill.errors import TrainingFailedError
from tracemill.training.clock import Clock
from tracemill.training.complete import mark_complete
from tracemill.training.job import StepSaid
from tracemill.training.round import StageName

Say = Callable[[StepSaid], None]


class Watch(TrainerCallback):
    """Watches one stage; afterwards it holds what was seen."""

    def __init__(self, stage: StageName, *, clock: Clock, say: Say, job: str) -> None:
        self.losses: list[tuple[int, float]] = []
        self.tokens = 0
        self.is_cut = False
        self._stage, self._clock, self._say, self._job = stage, clock, say, job
        self._step_started = time.monotonic()

    def on_step_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Note when the step began."""
        self._step_started = time.monotonic()

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Stop where another step like this one does not fit."""
        step_seconds = time.monotonic() - self._step_started
        if state.global_step < state.max_steps and not self._clock.has_room(step_seconds):
            self.is_cut = True
            control.should_training_stop = True

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: dict[str, float] | None = None,
        **_: Any,
    ) -> None:
        """Keep and say the loss; TrainingFailedError where it is no number."""
        if logs is None or "loss" not in logs:
            return
        loss = float(logs["loss"])
        if not math.isfinite(loss):
            raise TrainingFailedError(
                f"{self._stage.upper()} step {state.global_step} has loss {loss}: lower the "
                "learning rate, or look for broken weights in the champion"
            )
        self.losses.append((state.global_step, loss))
        self.tokens = int(logs.get("num_tokens", self.tokens))
        self._say(
            StepSaid(stage=self._stage, step=state.global_step, steps=state.max_steps, loss=loss)
        )

    def on_save(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Mark the checkpoint; it fires after the files are written."""
        if state.is_world_process_zero:
            checkpoint = Path(str(args.output_dir)) / f"checkpoint-{state.global_step}"
            mark_complete(checkpoint, job=self._job)
