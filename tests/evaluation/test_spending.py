import doctest
from math import comb

import numpy as np
import pytest

from tests.evaluation.cards import suite_of, task
from tracemill.errors import TracemillError
from tracemill.evaluation import spending
from tracemill.evaluation.gate_rules import GateRules
from tracemill.evaluation.spending import (
    PastUse,
    SuiteUse,
    alpha_for_use,
    count_use,
    spread_alpha,
)
from tracemill.evaluation.stats import mid_p
from tracemill.evaluation.suite import Suite, make_suite


def test_all_histories_of_all_nights_together_spend_no_more_than_alpha() -> None:
    spent = sum(
        comb(use - 1, promotions) * alpha_for_use(0.05, use=use, promotions=promotions)
        for use in range(1, 200)
        for promotions in range(use)
    )

    assert 0.049 < spent <= 0.05


def test_each_use_leaves_less_than_the_one_before() -> None:
    alphas = [alpha_for_use(0.05, use=use, promotions=0) for use in range(1, 30)]

    assert alphas == sorted(alphas, reverse=True)


def test_more_promotions_than_uses_are_refused() -> None:
    with pytest.raises(TracemillError, match="use 2 of a suite cannot come after 2 promotions"):
        alpha_for_use(0.05, use=2, promotions=2)


def used(suite: Suite, *, promoted: bool = False) -> PastUse:
    return PastUse(frozenset(task.id for task in suite.tasks), promoted)


def test_a_suite_is_as_worn_as_it_was_used() -> None:
    suite, other = suite_of({"convert": 10}), suite_of({"refund": 10})

    assert count_use(suite, []) == SuiteUse(use=1, promotions=0)
    assert count_use(suite, [used(other)] * 5) == SuiteUse(use=1, promotions=0)
    assert count_use(suite, [used(suite), used(suite, promoted=True)]) == SuiteUse(3, 1)


def test_fresh_tasks_let_a_suite_recover() -> None:
    nights = [
        make_suite(tuple(task(f"t{n}") for n in range(10 * night, 10 * night + 40)))
        for night in range(30)
    ]

    worn = count_use(nights[-1], [used(suite) for suite in nights[:-1]])

    assert worn.use == 3  # 29 nights before it, but three quarters, half, a quarter of its tasks


def test_rules_may_spend_alpha_each_night_anew() -> None:
    third = SuiteUse(use=3, promotions=1)

    assert spread_alpha(GateRules(), third).alpha < 0.05 / 12
    assert spread_alpha(GateRules(spreads_alpha=False), third).alpha == 0.05
    assert spread_alpha(GateRules(), third).min_effect == GateRules().min_effect


def test_thirty_nights_of_chance_on_one_suite_promote_with_alpha_at_most() -> None:
    """Candidates are the champion with random answers exchanged; the winner goes on."""
    rng = np.random.default_rng(8)
    ever = {"at alpha each night": 0, "alpha spent": 0}
    for _ in range(300):
        for rule in ever:
            ever[rule] += _ever_promoted(rng, has_budget=rule == "alpha spent")

    assert ever["alpha spent"] / 300 < 0.06
    assert ever["at alpha each night"] / 300 > 0.5


def _ever_promoted(rng: np.random.Generator, *, has_budget: bool) -> bool:
    champion = rng.random(200) < 0.5
    promotions = 0
    for use in range(1, 31):
        is_redrawn = rng.random(200) < 0.3
        candidate = np.where(is_redrawn, rng.random(200) < 0.5, champion)
        p = mid_p((candidate & ~champion).sum(), (champion & ~candidate).sum())
        alpha = alpha_for_use(0.05, use=use, promotions=promotions) if has_budget else 0.05
        if p < alpha:
            champion, promotions = candidate, promotions + 1
    return promotions > 0


def test_the_example_in_the_docstring_is_true() -> None:
    assert doctest.testmod(spending).failed == 0
