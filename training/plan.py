"""Plan a round before anything is spent: which methods, how many rows, steps, tokens, dollars.

SFT where there are verified answers to failures; then, where the recipe asks for them and the budget
has room, DPO on verified pairs, KTO on judgements alone, and GRPO where the champion sometimes
solves what it fails. A night with none of these is an outcome of its own.
"""

from pathlib import Path

from tracemill.errors import NothingToTrainError
from tracemill.training.budget import Budget
from tracemill.training.recipe import Recipe
from tracemill.training.round import RoundPlan, StagePlan
from tracemill.training.stage_plan import Pace, plan_dpo, plan_grpo, plan_kto, plan_sft
from tracemill.training.training_rows import TrainingRows
from tracemill.training.weights import count_parameters

# Parameters times tokens a second: measured with SmolLM2-135M, LoRA on bfloat16 weights, two cores.
_PARAMETER_TOKENS_PER_SECOND = 3.0e10
_START_SECONDS = 20.0
_USABLE_SHARE = 0.9

_IN_ORDER = (plan_sft, plan_dpo, plan_kto, plan_grpo)


def plan_round(
    dataset: TrainingRows, recipe: Recipe, budget: Budget, *, champion_path: Path
) -> RoundPlan:
    """Return what a round on this dataset does, takes and costs.

    Raises NothingToTrainError, with the numbers, where no stage is worth it; TrainingFailedError
    where more rows than the recipe allows are too long for it.
    """
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(champion_path)
    pace = _pace(budget, champion_path)
    stages: list[StagePlan] = []
    reasons: list[str] = []
    for plan_stage in _IN_ORDER:
        planned = plan_stage(dataset, recipe, tokenizer, pace=pace)
        if planned is None:
            continue
        reasons.append(planned.reason)
        if planned.stage is not None:
            stages.append(planned.stage)
            pace = pace.after(planned.stage)
    if not stages:
        raise NothingToTrainError(f"nothing worth training on: {'; '.join(reasons)}")
    return _round_plan(stages, reasons, budget)


def _pace(budget: Budget, champion_path: Path) -> Pace:
    rate = budget.tokens_per_second or (
        _PARAMETER_TOKENS_PER_SECOND / max(1, count_parameters(champion_path))
    )
    return Pace(rate, _USABLE_SHARE * budget.limit_seconds - _START_SECONDS)


def _round_plan(stages: list[StagePlan], reasons: list[str], budget: Budget) -> RoundPlan:
    seconds = _START_SECONDS + sum(stage.seconds for stage in stages)
    return RoundPlan(
        stages=tuple(stages),
        seconds=seconds,
        cost_usd=seconds / 3600 * budget.usd_per_hour,
        reasons=tuple(reasons),
        limit_seconds=budget.limit_seconds,
        usd_per_hour=budget.usd_per_hour,
    )
