"""What each method of a round would do, take and cost, or why it is left out.

Each planner returns None where the recipe does not ask for its method. A stage is planned within
what the stages before it leave of the budget.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Self, TypeVar

from tracemill.curation.rows import Example, Pair, Unpaired
from tracemill.curation.task import Task
from tracemill.training.choose import choose_examples, choose_pairs, choose_tasks, choose_unpaired
from tracemill.training.fit import Fitted, fit_examples, fit_pairs, fit_tasks, fit_unpaired
from tracemill.training.recipe import Recipe
from tracemill.training.round import StageName, StagePlan
from tracemill.training.training_rows import TrainingRows

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

Row = TypeVar("Row", Example, Pair, Unpaired, Task)

_STAGE_SECONDS = 5.0
# Beside forward and backward: the reference log-probabilities of DPO, one forward pass; those of
# KTO and its mismatched completions, two; the sampling of GRPO, token by token.
_DPO_COST = 4 / 3
_KTO_COST = 5 / 3
_GRPO_COST = 2.0


class Pace(NamedTuple):
    """How fast training goes, and how long it may."""

    tokens_per_second: float
    seconds: float
    """What is left to spend; below 0 where it is overspent."""

    @property
    def left(self) -> str:
        """What is left, for people."""
        return f"{max(0.0, self.seconds):.0f} s are left"

    def room(self) -> float:
        """Return the tokens that one more stage may compute."""
        return max(0.0, self.seconds - _STAGE_SECONDS) * self.tokens_per_second

    def seconds_for(self, tokens: float) -> float:
        """Return how long a stage takes that computes so many tokens."""
        return _STAGE_SECONDS + tokens / self.tokens_per_second

    def after(self, stage: StagePlan) -> Self:
        """Return what this stage leaves."""
        return self._replace(seconds=self.seconds - stage.seconds)


class Planned(NamedTuple):
    """A stage with why it is as it is, or why there is none."""

    stage: StagePlan | None
    reason: str


class _Schedule(NamedTuple):
    """How often a stage goes over its rows, and how many make a step."""

    epochs: float
    batch_size: int
    cost: float = 1.0
    """Of a token, beside one of plain training."""


def plan_sft(
    dataset: TrainingRows, recipe: Recipe, tokenizer: "PreTrainedTokenizerBase", *, pace: Pace
) -> Planned | None:
    """Return the SFT stage, if the recipe has one and there are failures with verified answers."""
    if recipe.sft is None:
        return None
    fitted = fit_examples(dataset.examples, recipe, tokenizer)
    share = recipe.sft.replay_share
    chosen = choose_examples(fitted.rows, replay_share=share)
    if not chosen.mended:
        count = len(dataset.examples)
        return Planned(None, f"no SFT: 0 verified answers to failures among {count} examples")
    schedule = _Schedule(recipe.sft.epochs, recipe.sft.batch_size)
    limit = _rows_within(pace, fitted, chosen.rows, schedule=schedule)
    if limit < 1:
        return Planned(None, f"no SFT: {pace.left}, too few for one row")
    kept = choose_examples(fitted.rows, replay_share=share, limit=limit)
    stage = _stage("sft", kept.rows, fitted, schedule=schedule, pace=pace)
    reason = (
        f"SFT: {len(kept.mended)} verified answers to failures and {len(kept.replayed)} healthy "
        "ones against forgetting"
    )
    return Planned(stage, reason + _left_out(len(chosen.rows) - stage.rows, fitted.dropped))


def plan_dpo(
    dataset: TrainingRows, recipe: Recipe, tokenizer: "PreTrainedTokenizerBase", *, pace: Pace
) -> Planned | None:
    """Return the DPO stage, if the recipe has one and there are pairs and time enough."""
    if recipe.dpo is None:
        return None
    fitted = fit_pairs(dataset.pairs, recipe, tokenizer)
    least = recipe.dpo.min_pairs
    if len(fitted.rows) < least:
        return Planned(None, f"no DPO: {len(fitted.rows)} verified pairs, fewer than {least}")
    schedule = _Schedule(recipe.dpo.epochs, recipe.dpo.batch_size, _DPO_COST)
    limit = _rows_within(pace, fitted, fitted.rows, schedule=schedule)
    if limit < least:
        return Planned(None, f"no DPO: {pace.left}, enough for {limit} pairs, fewer than {least}")
    wanted = min(len(fitted.rows), recipe.dpo.max_pairs or len(fitted.rows))
    kept = choose_pairs(fitted.rows, limit=min(limit, wanted))
    beyond = len(fitted.rows) - wanted
    capped = f"; {beyond} more than the recipe takes" if beyond else ""
    weight = recipe.dpo.sft_weight
    term = f"an SFT term of weight {weight:g}" if weight else "no SFT term"
    return Planned(
        _stage("dpo", kept, fitted, schedule=schedule, pace=pace),
        f"DPO: {len(kept)} verified pairs, with {term}{capped}"
        + _left_out(wanted - len(kept), fitted.dropped),
    )


def plan_kto(
    dataset: TrainingRows, recipe: Recipe, tokenizer: "PreTrainedTokenizerBase", *, pace: Pace
) -> Planned | None:
    """Return the KTO stage, if the recipe has one and there are judgements of both kinds."""
    if recipe.kto is None:
        return None
    fitted = fit_unpaired(dataset.unpaired, recipe, tokenizer)
    good, least = sum(row.is_good for row in fitted.rows), recipe.kto.min_rows
    said = f"{good} good and {len(fitted.rows) - good} bad answers"
    if len(fitted.rows) < least or good in (0, len(fitted.rows)):
        return Planned(None, f"no KTO: {said}; it takes {least}, of both kinds")
    schedule = _Schedule(recipe.kto.epochs, recipe.kto.batch_size, _KTO_COST)
    limit = _rows_within(pace, fitted, fitted.rows, schedule=schedule)
    kept = choose_unpaired(fitted.rows, limit=limit)
    if limit < least or len({row.is_good for row in kept}) < 2:
        return Planned(None, f"no KTO: {pace.left}, enough for {limit} answers of {said}")
    return Planned(
        _stage("kto", kept, fitted, schedule=schedule, pace=pace),
        f"KTO: {said}" + _left_out(len(fitted.rows) - len(kept), fitted.dropped),
    )


def plan_grpo(
    dataset: TrainingRows, recipe: Recipe, tokenizer: "PreTrainedTokenizerBase", *, pace: Pace
) -> Planned | None:
    """Return the GRPO stage, if the recipe has one, with tasks within reach and time enough."""
    grpo = recipe.grpo
    if grpo is None:
        return None
    fitted = fit_tasks(dataset.tasks, recipe, tokenizer)
    chosen = choose_tasks(fitted.rows, replay_share=grpo.replay_share)
    failing = sum(task.is_failure for task in chosen)
    said = (
        f"{failing} failing tasks within the champion's reach and {len(chosen) - failing} healthy"
    )
    # TRL takes no step, and says nothing, where the tasks do not fill one.
    least = max(grpo.min_tasks, grpo.batch_size // grpo.group_size)
    if failing < grpo.min_tasks or len(chosen) < least:
        return Planned(None, f"no GRPO: {said}, fewer than {least}")
    tries = grpo.steps * grpo.batch_size
    tokens = round(tries * (fitted.tokens_of(chosen) / len(chosen) + grpo.max_tokens))
    seconds = pace.seconds_for(tokens * _GRPO_COST)
    if seconds > pace.seconds:
        return Planned(None, f"no GRPO: it takes {seconds:.0f} s and {pace.left}")
    stage = StagePlan(
        method="grpo", rows=len(chosen), steps=grpo.steps, tokens=tokens, seconds=seconds
    )
    return Planned(stage, f"GRPO: {tries} tries at {said} ones" + _left_out(0, fitted.dropped))


def _stage(
    method: StageName,
    rows: Sequence[Row],
    fitted: Fitted[Row],
    *,
    schedule: _Schedule,
    pace: Pace,
) -> StagePlan:
    return StagePlan(
        method=method,
        rows=len(rows),
        steps=count_steps(len(rows), schedule.epochs, schedule.batch_size),
        tokens=round(fitted.tokens_of(rows) * schedule.epochs),
        seconds=pace.seconds_for(_computed(rows, fitted, schedule)),
    )


def _rows_within(
    pace: Pace, fitted: Fitted[Row], rows: Sequence[Row], *, schedule: _Schedule
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
