"""Plan a round before anything is spent: which methods, how many rows, steps, tokens, dollars.

SFT where there are verified answers to failures; DPO after it only where enough verified pairs
exist and the budget has room for them; GRPO where the recipe asks for it and the champion sometimes
solves what it fails. A night with none of these is an outcome of its own.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from tracemill.curation.rows import Example, Pair
from tracemill.curation.task import Task
from tracemill.errors import NothingToTrainError
from tracemill.training.budget import Budget
from tracemill.training.choose import choose_examples, choose_pairs, choose_tasks
from tracemill.training.fit import Fitted, fit_examples, fit_pairs, fit_tasks
from tracemill.training.recipe import Recipe
from tracemill.training.round import RoundPlan, StageName, StagePlan
from tracemill.training.weights import count_parameters

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

Row = TypeVar("Row", Example, Pair, Task)

# Parameters times tokens a second: measured with SmolLM2-135M, LoRA on bfloat16 weights, two cores.
_PARAMETER_TOKENS_PER_SECOND = 3.0e10
_START_SECONDS = 20.0
_STAGE_SECONDS = 5.0
_USABLE_SHARE = 0.9
# The reference log-probabilities of DPO: one forward pass beside forward and backward.
_REFERENCE_COST = 4 / 3
# Sampling of GRPO: token by token, beside forward and backward over what was sampled.
_SAMPLING_COST = 2.0


class TrainingRows(Protocol):
    """What a dataset offers to training."""

    @property
    def examples(self) -> Sequence[Example]:
        """The rows for SFT."""
        ...

    @property
    def pairs(self) -> Sequence[Pair]:
        """The rows for DPO."""
        ...

    @property
    def tasks(self) -> Sequence[Task]:
        """What GRPO tries, of the training side alone."""
        ...


class _Pace(NamedTuple):
    tokens_per_second: float
    seconds: float
    """What is left to spend."""

    def room(self) -> float:
        return max(0.0, self.seconds - _STAGE_SECONDS) * self.tokens_per_second

    def seconds_for(self, tokens: float) -> float:
        return _STAGE_SECONDS + tokens / self.tokens_per_second


class _Schedule(NamedTuple):
    """How often a stage goes over its rows, and how many make a step."""

    epochs: float
    batch_size: int
    cost: float = 1.0
    """Of a token, beside one of plain training."""


class _Planned(NamedTuple):
    stage: StagePlan | None
    reason: str


def plan_round(
    dataset: TrainingRows, recipe: Recipe, budget: Budget, *, champion_path: Path
) -> RoundPlan:
    """Return what a round on this dataset does, takes and costs.

    Raises NothingToTrainError, with the numbers, where no stage is worth it; TrainingFailedError
    where more rows than the recipe allows are too long for it.
    """
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(champion_path)
    rate = budget.tokens_per_second or (
        _PARAMETER_TOKENS_PER_SECOND / max(1, count_parameters(champion_path))
    )
    pace = _Pace(rate, _USABLE_SHARE * budget.limit_seconds - _START_SECONDS)
    sft = _plan_sft(dataset.examples, recipe, tokenizer, pace=pace)
    spent = sft.stage.seconds if sft.stage else 0.0
    dpo = _plan_dpo(dataset.pairs, recipe, tokenizer, pace=_Pace(rate, pace.seconds - spent))
    spent += dpo.stage.seconds if dpo.stage else 0.0
    grpo = _plan_grpo(dataset.tasks, recipe, tokenizer, pace=_Pace(rate, pace.seconds - spent))
    stages = tuple(planned.stage for planned in (sft, dpo, grpo) if planned.stage is not None)
    reasons = tuple(planned.reason for planned in (sft, dpo, grpo))
    if not stages:
        raise NothingToTrainError(f"nothing worth training on: {'; '.join(reasons)}")
    seconds = _START_SECONDS + sum(stage.seconds for stage in stages)
    return RoundPlan(
        stages=stages,
        seconds=seconds,
        cost_usd=seconds / 3600 * budget.usd_per_hour,
        reasons=reasons,
        limit_seconds=budget.limit_seconds,
        usd_per_hour=budget.usd_per_hour,
    )


def _plan_sft(
    examples: Sequence[Example],
    recipe: Recipe,
    tokenizer: "PreTrainedTokenizerBase",
    *,
    pace: _Pace,
) -> _Planned:
    if recipe.sft is None:
        return _Planned(None, f"no SFT: recipe {recipe.name!r} has no [sft]")
    fitted = fit_examples(examples, recipe, tokenizer)
    chosen = choose_examples(fitted.rows, replay_share=recipe.sft.replay_share)
    if not chosen.mended:
        return _Planned(
            None, f"no SFT: 0 verified answers to failures among {len(examples)} examples"
        )
    schedule = _Schedule(recipe.sft.epochs, recipe.sft.batch_size)
    limit = _rows_within(pace, fitted, chosen.rows, schedule=schedule)
    if limit < 1:
        return _Planned(None, f"no SFT: {max(0.0, pace.seconds):.0f} s are too few for one row")
    kept = choose_examples(fitted.rows, replay_share=recipe.sft.replay_share, limit=limit)
    stage = _stage("sft", kept.rows, fitted, schedule=schedule, pace=pace)
    reason = (
        f"SFT: {len(kept.mended)} verified answers to failures and {len(kept.replayed)} healthy "
        f"ones against forgetting"
    )
    return _Planned(stage, reason + _left_out(len(chosen.rows) - stage.rows, fitted.dropped))


def _plan_dpo(
    pairs: Sequence[Pair], recipe: Recipe, tokenizer: "PreTrainedTokenizerBase", *, pace: _Pace
) -> _Planned:
    if recipe.dpo is None:
        return _Planned(None, f"no DPO: recipe {recipe.name!r} has no [dpo]")
    fitted = fit_pairs(pairs, recipe, tokenizer)
    if len(fitted.rows) < recipe.dpo.min_pairs:
        return _Planned(
            None, f"no DPO: {len(fitted.rows)} verified pairs, fewer than {recipe.dpo.min_pairs}"
        )
    schedule = _Schedule(recipe.dpo.epochs, recipe.dpo.batch_size, _REFERENCE_COST)
    limit = _rows_within(pace, fitted, fitted.rows, schedule=schedule)
    if limit < recipe.dpo.min_pairs:
        return _Planned(
            None,
            f"no DPO: {max(0.0, pace.seconds):.0f} s are left, enough for {limit} pairs, fewer "
            f"than {recipe.dpo.min_pairs}",
        )
    kept = choose_pairs(fitted.rows, limit=limit)
    stage = _stage("dpo", kept, fitted, schedule=schedule, pace=pace)
    term = (
        f"an SFT term of weight {recipe.dpo.sft_weight:g}"
        if recipe.dpo.sft_weight
        else "no SFT term"
    )
    reason = f"DPO: {len(kept)} verified pairs, with {term}"
    return _Planned(stage, reason + _left_out(len(fitted.rows) - len(kept), fitted.dropped))


def _plan_grpo(
    tasks: Sequence[Task], recipe: Recipe, tokenizer: "PreTrainedTokenizerBase", *, pace: _Pace
) -> _Planned:
    if recipe.grpo is None:
        return _Planned(None, f"no GRPO: recipe {recipe.name!r} has no [grpo]")
    fitted = fit_tasks(tasks, recipe, tokenizer)
    chosen = choose_tasks(fitted.rows, replay_share=recipe.grpo.replay_share)
    failing = sum(task.is_failure for task in chosen)
    # TRL takes no step, and says nothing, where the tasks do not fill one.
    needed = max(recipe.grpo.min_tasks, recipe.grpo.batch_size // recipe.grpo.group_size)
    if failing < recipe.grpo.min_tasks or len(chosen) < needed:
        return _Planned(
            None,
            f"no GRPO: {failing} failing tasks within the champion's reach and "
            f"{len(chosen) - failing} healthy ones, fewer than {needed}",
        )
    tries = recipe.grpo.steps * recipe.grpo.batch_size
    tokens = round(tries * (fitted.tokens_of(chosen) / len(chosen) + recipe.grpo.max_tokens))
    seconds = pace.seconds_for(tokens * _SAMPLING_COST)
    if seconds > pace.seconds:
        return _Planned(
            None, f"no GRPO: it takes {seconds:.0f} s and {max(0.0, pace.seconds):.0f} s are left"
        )
    stage = StagePlan(
        method="grpo", rows=len(chosen), steps=recipe.grpo.steps, tokens=tokens, seconds=seconds
    )
    reason = f"GRPO: {tries} tries at {failing} failing and {len(chosen) - failing} healthy tasks"
    return _Planned(stage, reason + _left_out(0, fitted.dropped))


def _stage(
    method: StageName,
    rows: Sequence[Row],
    fitted: Fitted[Row],
    *,
    schedule: _Schedule,
    pace: _Pace,
) -> StagePlan:
    return StagePlan(
        method=method,
        rows=len(rows),
        steps=count_steps(len(rows), schedule.epochs, schedule.batch_size),
        tokens=round(fitted.tokens_of(rows) * schedule.epochs),
        seconds=pace.seconds_for(_computed(rows, fitted, schedule)),
    )


def _rows_within(
    pace: _Pace, fitted: Fitted[Row], rows: Sequence[Row], *, schedule: _Schedule
) -> int:
    """Return how many of these rows there is time for."""
    computed, room = _computed(rows, fitted, schedule), pace.room()
    return len(rows) if computed <= room else math.floor(len(rows) * room / computed)


def _computed(rows: Sequence[Row], fitted: Fitted[Row], schedule: _Schedule) -> float:
    once = fitted.computed_of(rows, batch_size=schedule.batch_size)
    return once * schedule.epochs * schedule.cost


def _left_out(by_budget: int, by_length: int) -> str:
    return "".join(
        f"; {count} more left out by {what}"
        for count, what in ((by_budget, "the budget"), (by_length, "their length"))
        if count
    )


def count_steps(rows: int, epochs: float, batch_size: int) -> int:
    """Return the optimizer steps of a stage, as transformers' Trainer counts them."""
    return math.ceil(epochs * math.ceil(rows / batch_size))
