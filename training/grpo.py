"""GRPO: the model tries each task several times, and the task's own checks are the reward.

A try is one assistant message after the task's prompt; its calls are made in the task's environment
and scored as everywhere else (`curation.proof`). A try that is cut has no end to score: it counts
as failed and is left out of the loss. What fails around the model ends the round: an outage is
never a reward.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from transformers import AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

from tracemill.curation.proof import reward_of
from tracemill.curation.task import Task
from tracemill.errors import EnvironmentFailedError, TrainingFailedError
from tracemill.training.fit import chat_tools
from tracemill.training.recipe import GrpoRecipe
from tracemill.training.reply import read_reply
from tracemill.training.stage import (
    StageInput,
    StageOutput,
    chat,
    lora_config,
    rows_per_process,
    run_stage,
    trainer_arguments,
)


class _Rewards:
    """The tasks' checks, as TRL asks for rewards."""

    __name__ = "checks"

    def __init__(self, tasks: Sequence[Task], tokenizer: Any) -> None:
        self._tasks = {task.id: task for task in tasks}
        self._tokenizer = tokenizer

    def __call__(
        self, prompts: list[str], completion_ids: list[list[int]], task: list[str], **_: Any
    ) -> list[float]:
        """Return one reward (0 to 1) for each try."""
        tries = zip(prompts, completion_ids, task, strict=True)
        return [self._reward(prompt, ids, self._tasks[name]) for prompt, ids, name in tries]

    def _reward(self, prompt: str, token_ids: list[int], task: Task) -> float:
        if self._tokenizer.eos_token_id not in token_ids:
            return 0.0
        prompt_ids = self._tokenizer(prompt)["input_ids"]
        message = read_reply(self._tokenizer, token_ids, prompt_ids=prompt_ids)
        try:
            return reward_of(task, message)
        except EnvironmentFailedError as error:
            raise TrainingFailedError(
                f"GRPO stopped: the environment of task {task.id!r} failed ({error}); an outage is "
                "no reward, run the round again when it is over"
            ) from error


def train_grpo(tasks: Sequence[Task], *, given: StageInput) -> StageOutput:
    """Return the model that tried the tasks and learnt from its tries.

    Raises TrainingFailedError where that is unsound, and where no task ever had tries of different
    reward: then nothing can be learnt from them.
    """
    job = given.job
    recipe = job.recipe.grpo
    if recipe is None:
        raise TrainingFailedError(f"recipe {job.recipe.name!r} has no [grpo]: plan the round anew")
    tokenizer = AutoTokenizer.from_pretrained(given.base)
    built: list[GRPOTrainer] = []

    def make_trainer(model: Any, processing: Any, dataset: Any, output: Path) -> GRPOTrainer:
        trainer = GRPOTrainer(
            model,
            reward_funcs=_Rewards(tasks, tokenizer),
            args=_config(
                recipe, trainer_arguments(job, output, epochs=1, learning_rate=recipe.learning_rate)
            ),
            train_dataset=dataset,
            processing_class=processing,
            peft_config=lora_config(job.recipe.lora),
        )
        built.append(trainer)
        return trainer

    rows = [_row(task, tokenizer) for task in tasks]
    output = run_stage("grpo", make_trainer, rows, given=given)
    _refuse_flat(built[0].state.log_history)
    return output


def _config(recipe: GrpoRecipe, arguments: dict[str, Any]) -> GRPOConfig:
    return GRPOConfig(
        **arguments,
        max_steps=recipe.steps,
        per_device_train_batch_size=rows_per_process(recipe.batch_size),
        num_generations=recipe.group_size,
        max_completion_length=recipe.max_tokens,
        temperature=1.0,
        mask_truncated_completions=True,
    )


def _row(task: Task, tokenizer: Any) -> dict[str, object]:
    """The prompt as text: GRPO would offer the same tools to every row of messages."""
    messages, tools = chat(task.prompt), chat_tools(task.tools)
    rendered = {"tools": tools, "add_generation_prompt": True}
    text = tokenizer.apply_chat_template(messages, tokenize=False, **rendered)
    token_ids = tokenizer.apply_chat_template(messages, return_dict=True, **rendered)["input_ids"]
    if tokenizer(text)["input_ids"] != token_ids:
        raise TrainingFailedError(
            f"the prompt of task {task.id!r} is cut into other tokens as text than as messages: "
            "the tokenizer adds tokens of its own; leave [grpo] out of the recipe"
        )
    return {"prompt": text, "task": task.id}


def _refuse_flat(history: Sequence[dict[str, float]]) -> None:
    shares = [entry["frac_reward_zero_std"] for entry in history if "frac_reward_zero_std" in entry]
    if shares and min(shares) >= 1.0:
        raise TrainingFailedError(
            f"in {len(shares)} steps of GRPO no task had tries of different reward: nothing can be "
            "learnt from tasks that the model always or never solves"
        )
