"""Spending: how much of alpha each night may use, so that a suite does not wear out.

Thirty nights of candidates that are no better, each tested at 5 %, promote one with 79 %. Here
the chances of all nights on one suite add up to alpha at most, also where the suite's earlier
verdicts decided who became champion and so what was trained next.
"""

from math import comb

from tracemill.errors import TracemillError


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
