"""The gate's statistics for paired pass/fail results: one-sided tests, intervals, Holm.

A pair is one task tried by champion and candidate with the same seed: gained (only the candidate
passes), lost (only the champion passes), or equal. Pairs that share a group, or are seeds of one
task, share their fate; they are tested and counted as clusters.
"""

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats
from scipy.optimize import brentq

from tracemill.evaluation.verdict import Interval

Floats = npt.NDArray[np.float64]

_MIN_DISCORDANT_CLUSTERS = 5
"""Fewer than this tell nothing of how alike the pairs of a cluster are."""


class PairCounts(NamedTuple):
    """How pairs came out; fractions where clusters make them worth less than one each."""

    gained: float
    lost: float
    pairs: float

    @property
    def difference(self) -> float:
        """Candidate minus champion, as a share."""
        return (self.gained - self.lost) / self.pairs

    @property
    def discordance(self) -> float:
        """Share of pairs on which the two differ."""
        return (self.gained + self.lost) / self.pairs


class Cluster(NamedTuple):
    """Pairs that share their fate: the tasks of one group, the seeds of one task."""

    gained: int
    lost: int
    pairs: int


def mid_p(gained: npt.ArrayLike, lost: npt.ArrayLike) -> Floats:
    """Return the one-sided mid-p of McNemar's test that the candidate is better.

    P(X > gained) + P(X = gained)/2 for X ~ Binomial(gained + lost, 1/2), elementwise; 0.5 where
    nothing differs. Fagerland, Lydersen & Laake 2013, BMC Medical Research Methodology 13:91.

    >>> round(float(mid_p(7, 1)), 4)
    0.0195
    """
    won, trials = np.asarray(gained), np.add(gained, lost)
    tail: Floats = stats.binom.sf(won, trials, 0.5) + stats.binom.pmf(won, trials, 0.5) / 2
    return tail


def sign_flip_p(clusters: Sequence[Cluster]) -> float:
    """Return the one-sided mid-p that the candidate is better, with whole clusters as the unit.

    Without a difference between the models each cluster's gained - lost is as likely to be
    -(gained - lost): the exact distribution of their sum over all flips (Fisher's randomization
    test), by convolution. With one pair in each cluster it is `mid_p`.
    """
    totals = [cluster.gained - cluster.lost for cluster in clusters]
    sizes = [abs(total) for total in totals if total]
    if all(size == 1 for size in sizes):
        return float(mid_p(totals.count(1), totals.count(-1)))
    reach = sum(sizes)
    chances = np.zeros(2 * reach + 1)
    chances[reach] = 1.0
    for size in sizes:
        chances = (np.roll(chances, size) + np.roll(chances, -size)) / 2
    seen = reach + sum(totals)
    return float(chances[seen + 1 :].sum() + chances[seen] / 2)


def tango_score(
    gained: npt.ArrayLike, lost: npt.ArrayLike, pairs: npt.ArrayLike, difference: npt.ArrayLike
) -> Floats:
    """Return the score statistic of the hypothesis that the true difference is this one.

    Elementwise, standard normal under the hypothesis. The chance of a loss is put at its maximum
    likelihood under the hypothesis, so it holds without a single discordant pair.
    Tango 1998, Statistics in Medicine 17:891-908, equations 24 to 26.
    """
    won, gone, n, delta = (
        np.asarray(value, dtype=float) for value in (gained, lost, pairs, difference)
    )
    b = -won - gone + (2 * n - won + gone) * delta
    c = -gone * delta * (1 - delta)
    loss = (np.sqrt(np.maximum(b * b - 8 * n * c, 0.0)) - b) / (4 * n)
    variance = np.maximum(n * (2 * loss + delta * (1 - delta)), 1e-300)
    score: Floats = (won - gone - n * delta) / np.sqrt(variance)
    return score


def tango_interval(counts: PairCounts, *, level: float) -> Interval:
    """Return Tango's score interval of the difference: what `tango_score` does not reject.

    Without a discordant pair it is ±z²/(pairs + z²): agreement everywhere on few pairs is weak
    evidence, and the interval says how weak.

    >>> round(tango_interval(PairCounts(gained=1, lost=7, pairs=21), level=0.95).low, 3)
    -0.517
    """
    z = float(stats.norm.ppf((1 + level) / 2))
    estimate = counts.difference
    return Interval(
        estimate=estimate,
        low=_tango_root(counts, z, -1.0, estimate),
        high=_tango_root(counts, -z, estimate, 1.0),
        level=level,
    )


def _tango_root(counts: PairCounts, z: float, low: float, high: float) -> float:
    """Return the difference between low and high at which the score falls to `z`."""
    tiny = 1e-12
    if high - low <= 2 * tiny:
        return low if z > 0 else high

    def excess(difference: float) -> float:
        return float(tango_score(*counts, difference)) - z

    low, high = low + tiny, high - tiny
    if excess(low) <= 0:
        return low - tiny
    if excess(high) >= 0:
        return high + tiny
    return float(brentq(excess, low, high, xtol=1e-12))


def fate_correlation(clusters: Sequence[Cluster]) -> float | None:
    """Return how alike the pairs of a cluster come out: 0 (independent) to 1 (all as one).

    From the cluster-robust variance of the difference over that of independent pairs (clustered
    standard errors, Miller 2024, arXiv:2411.00640). None where too few clusters differ to tell.
    """
    sizes = np.array([cluster.pairs for cluster in clusters], dtype=float)
    totals = np.array([cluster.gained - cluster.lost for cluster in clusters], dtype=float)
    most, count = _most_effect(clusters), sizes.sum()
    if most <= 1:
        return 0.0
    mean = totals.sum() / count
    independent = sum(cluster.gained + cluster.lost for cluster in clusters) / count - mean**2
    if np.count_nonzero(totals) < _MIN_DISCORDANT_CLUSTERS or independent <= 0:
        return None
    spread = ((totals - sizes * mean) ** 2).sum() / count * len(sizes) / (len(sizes) - 1)
    return float(np.clip((spread / independent - 1) / (most - 1), 0.0, 1.0))


def effective_counts(clusters: Sequence[Cluster], *, correlation: float) -> PairCounts:
    """Return the counts of all clusters together, each pair at its worth as evidence.

    Counts are divided by the design effect 1 + (size - 1) correlation, with the size of the
    cluster that a pair is found in on average. Rao & Scott 1992, Biometrics 48:577-585.
    """
    effect = 1 + (_most_effect(clusters) - 1) * correlation
    gained, lost, pairs = (sum(column) for column in zip(*clusters, strict=True))
    return PairCounts(gained / effect, lost / effect, pairs / effect)


def _most_effect(clusters: Sequence[Cluster]) -> float:
    """Return the size of the cluster in which a pair is found on average."""
    return sum(c.pairs**2 for c in clusters) / sum(c.pairs for c in clusters)


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return the p-values adjusted for being several, in their order.

    Rejecting those under alpha keeps the chance of any false rejection under alpha. Holm 1979,
    Scandinavian Journal of Statistics 6:65-70.

    >>> holm([0.01, 0.04, 0.03])
    (0.03, 0.06, 0.06)
    """
    adjusted = [0.0] * len(p_values)
    floor = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        floor = max(floor, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = floor
    return tuple(adjusted)


def pairs_to_show_gain(effect: float, discordance: float, *, alpha: float, power: float) -> int:
    """Return how many pairs show a true gain of `effect` with this power, one-sided.

    `discordance` is the share of pairs that differ, at least `effect`. Connor 1987, Biometrics
    43:207-211.

    >>> pairs_to_show_gain(0.02, 0.10, alpha=0.05, power=0.8)
    1544
    """
    share = max(discordance, effect)
    reach = stats.norm.ppf(1 - alpha) * sqrt(share)
    reach += stats.norm.ppf(power) * sqrt(share - effect**2)
    return int(np.ceil((reach / effect) ** 2))


def pairs_to_show_no_loss(margin: float, discordance: float, *, level: float, power: float) -> int:
    """Return how many pairs put the interval above -margin where there is truly no difference.

    With no discordance it is the number of pairs that must all agree, z²(1 - margin)/margin.

    >>> pairs_to_show_no_loss(0.05, 0.0, level=0.90, power=0.8)
    52
    """
    loss = _loss_at_margin(margin, discordance)
    null_variance = 2 * loss - margin * (1 + margin)
    reach = stats.norm.ppf((1 + level) / 2) * sqrt(null_variance)
    reach += stats.norm.ppf(power) * sqrt(discordance)
    return int(np.ceil((reach / margin) ** 2))


def _loss_at_margin(margin: float, discordance: float) -> float:
    """Return the chance of a loss that Tango's score takes under a true difference of -margin."""
    half = discordance / 2
    b = -discordance - 2 * margin
    c = half * margin * (1 + margin)
    return (sqrt(max(b * b - 8 * c, 0.0)) - b) / 4
