"""Spending: how much of alpha each night may use, so that a suite does not wear out.

Thirty nights of candidates that are no better, each tested at 5 %, promote one with 79 %. Here
the chances of all nights on one suite add up to alpha at most, also where the suite's earlier
verdicts decided who became champion and so what was trained next.
"""

from collections.abc import Iterable
from math import ceil, comb
from typing import NamedTuple

from tracemill.errors import TracemillError
from tracemill.evaluation.gate_rules import GateRules
from tracemill.evaluation.suite import Suite

_ROUNDING = 1e-9


class PastUse(NamedTuple):
    """An earlier comparison, on these tasks."""

    task_ids: frozenset[str]
    has_promoted: bool


class SuiteUse(NamedTuple):
    """How worn a suite is."""

    use: int
    """Which comparison on these tasks the next one is, from 1."""
    promotions: int
    """How many of those before it promoted."""


def count_use(suite: Suite, past: Iterable[PastUse]) -> SuiteUse:
    """Return the suite's use: each past comparison counts by its share of the suite's tasks.

    So a suite that gets fresh tasks recovers. With the very same tasks each night the bound of
    `alpha_for_use` is exact, with partly fresh ones it is an approximation.
    """
    ids = frozenset(task.id for task in suite.tasks)
    shares = [(len(each.task_ids & ids) / len(ids), each.has_promoted) for each in past]
    before = ceil(sum(share for share, _ in shares) - _ROUNDING)
    promotions = ceil(sum(share for share, promoted in shares if promoted) - _ROUNDING)
    return SuiteUse(use=1 + before, promotions=min(promotions, before))


def spread_alpha(rules: GateRules, use: SuiteUse) -> GateRules:
    """Return the rules with the alpha that this use of the suite may spend, if they spread it."""
    if not rules.spreads_alpha:
        return rules
    alpha = alpha_for_use(rules.alpha, use=use.use, promotions=use.promotions)
    return rules.model_copy(update={"alpha": alpha})


def alpha_for_use(alpha: float, *, use: int, promotions: int) -> float:
    """Return the alpha of the `use`-th comparison on one suite, after so many promotions by it.

    All that the loop learns of the suite is one bit a night: promoted or not. Night t takes
    1/(t (t+1)) of alpha, falling halves of it go to k = 0, 1, … earlier promotions, and each of
    the C(t-1, k) histories with k promotions gets an equal part. All parts of all nights add up
    to alpha: the counting of transcripts in Dwork et al. 2015, arXiv:1506.02629, section 3.
    Raises TracemillError where there cannot have been so many promotions.

    >>> [round(alpha_for_use(0.05, use=use, promotions=0), 4) for use in (1, 2, 3)]
    [0.025, 0.0056, 0.0024]
    """
    if use < 1 or not 0 <= promotions < use:
        raise TracemillError(
            f"use {use} of a suite cannot come after {promotions} promotions: count uses from 1"
        )
    of_night = 1 / (use * (use + 1))
    of_promotions = 0.5 ** (promotions + 1) / (1 - 0.5**use)
    return alpha * of_night * of_promotions / comb(use - 1, promotions)
