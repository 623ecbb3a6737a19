import pytest

from tests.fixtures.tiny_rows import TinyRows
from tests.fixtures.tiny_world import TINY_AGENT
from tracemill.errors import NothingToTrainError, TrainingFailedError
from tracemill.training.budget import Budget
from tracemill.training.plan import plan_round
from tracemill.training.recipe import (
    DpoRecipe,
    GrpoRecipe,
    KtoRecipe,
    Recipe,
    SftRecipe,
    find_recipe,
)
from tracemill.training.round import RoundPlan
from tracemill.training.stage_plan import count_steps

BOTH = Recipe(name="both", sft=SftRecipe(), dpo=DpoRecipe(), max_length=128)


def plan(rows: TinyRows, recipe: Recipe = BOTH, budget: Budget | None = None) -> RoundPlan:
    return plan_round(rows, recipe, budget or Budget(), champion_path=TINY_AGENT)


def only(rows: TinyRows, examples: int, pairs: int) -> TinyRows:
    return TinyRows(rows.examples[:examples], rows.pairs[:pairs])


def test_answers_and_pairs_make_two_stages_with_rows_steps_and_tokens(rows: TinyRows) -> None:
    sft, dpo = plan(rows).stages

    assert (sft.method, sft.rows, sft.steps) == ("sft", 146, 38)
    assert (dpo.method, dpo.rows, dpo.steps) == ("dpo", 73, 19)
    assert 20 * 146 * 2 < sft.tokens < 60 * 146 * 2


def test_few_pairs_make_no_dpo_and_the_reason_says_how_few(rows: TinyRows) -> None:
    planned = plan(only(rows, 146, 7))

    assert [stage.method for stage in planned.stages] == ["sft"]
    assert "no DPO: 7 verified pairs, fewer than 8" in planned.reasons


def test_a_night_with_replay_alone_is_nothing_to_train_on(rows: TinyRows) -> None:
    replay = TinyRows(tuple(row for row in rows.examples if row.is_replay), ())

    with pytest.raises(NothingToTrainError, match="0 verified answers to failures among 73"):
        plan(replay)


def test_a_recipe_takes_no_more_pairs_than_it_says(rows: TinyRows) -> None:
    capped = BOTH.model_copy(update={"dpo": DpoRecipe(max_pairs=16)})

    planned = plan(rows, capped)

    assert planned.stages[1].rows == 16
    assert "57 more than the recipe takes" in " ".join(planned.reasons)


def test_a_small_budget_leaves_rows_out_and_dpo_first(rows: TinyRows) -> None:
    planned = plan(rows, budget=Budget(seconds=60, tokens_per_second=200))

    (sft,) = planned.stages
    assert 0 < sft.rows < 146
    assert planned.seconds <= 60
    assert f"{146 - sft.rows} more left out by the budget" in planned.reasons[0]
    assert planned.reasons[1].startswith("no DPO")


def test_no_budget_for_one_row_is_nothing_to_train_on(rows: TinyRows) -> None:
    with pytest.raises(NothingToTrainError, match="too few for one row"):
        plan(rows, budget=Budget(seconds=10))


def test_dollars_limit_as_seconds_do(rows: TinyRows) -> None:
    planned = plan(rows, budget=Budget(seconds=1800, cost_usd=0.01, usd_per_hour=0.36))

    assert planned.limit_seconds == pytest.approx(100)
    assert planned.cost_usd == pytest.approx(planned.seconds * 0.0001)


def test_rows_too_long_for_the_recipe_are_refused_with_their_number(rows: TinyRows) -> None:
    short = BOTH.model_copy(update={"max_length": 40})

    with pytest.raises(TrainingFailedError, match=r"\d+ of 146 examples exceed max_length 40"):
        plan(rows, short)


def test_too_long_rows_within_the_recipes_share_are_left_out_and_counted(rows: TinyRows) -> None:
    lenient = BOTH.model_copy(update={"max_length": 40, "max_dropped_share": 1.0})

    planned = plan(rows, lenient)

    assert planned.stages[0].rows < 146
    assert "left out by their length" in planned.reasons[0]


def test_a_pair_whose_sides_are_the_same_is_refused_by_name(rows: TinyRows) -> None:
    twin = rows.pairs[0].model_copy(update={"rejected": rows.pairs[0].chosen})

    with pytest.raises(TrainingFailedError, match=twin.id):
        plan(TinyRows(rows.examples, (twin, *rows.pairs[1:])))


JUDGED = Recipe(name="judged", max_length=128, kto=KtoRecipe(min_rows=16))


def test_judgements_of_both_kinds_are_planned(rows: TinyRows) -> None:
    (stage,) = plan(rows, JUDGED).stages

    assert (stage.method, stage.rows, stage.steps) == ("kto", 146, 19)


def test_judgements_of_one_kind_are_nothing_to_train_on(rows: TinyRows) -> None:
    bad = tuple(row for row in rows.unpaired if not row.is_good)

    with pytest.raises(NothingToTrainError, match="no KTO: 0 good and 73 bad answers"):
        plan(TinyRows((), (), (), bad), JUDGED)


def test_tries_are_planned_on_failures_within_reach_and_healthy_tasks(rows: TinyRows) -> None:
    tries = Recipe(name="tries", max_length=128, grpo=GrpoRecipe(steps=5, replay_share=0.5))
    rates = [0.0, 0.5, None, 1.0]
    tasks = tuple(
        task.model_copy(update={"pass_rate": rates[index % 4]})
        for index, task in enumerate(rows.tasks)
    )

    (stage,) = plan(TinyRows((), (), tasks), tries).stages

    within = sum(task.is_failure and task.pass_rate in (0.5, None) for task in tasks)
    assert (stage.method, stage.steps, stage.rows) == ("grpo", 5, 2 * within)


def test_tasks_out_of_reach_are_nothing_to_train_on(rows: TinyRows) -> None:
    tries = Recipe(name="tries", max_length=128, grpo=GrpoRecipe())
    never = tuple(task.model_copy(update={"pass_rate": 0.0}) for task in rows.tasks)

    with pytest.raises(NothingToTrainError, match="0 failing tasks within the champion's reach"):
        plan(TinyRows(rows.examples, rows.pairs, never), tries)


def test_the_shipped_recipe_plans_both_stages(rows: TinyRows) -> None:
    planned = plan(rows, find_recipe("sft-then-dpo"))

    assert [stage.method for stage in planned.stages] == ["sft", "dpo"]


@pytest.mark.parametrize(
    ("rows", "epochs", "batch", "steps"), [(146, 5, 16, 50), (8, 1, 8, 1), (9, 2.5, 8, 5)]
)
def test_steps_are_counted_as_the_trainer_counts_them(
    rows: int, epochs: float, batch: int, steps: int
) -> None:
    assert count_steps(rows, epochs, batch) == steps
