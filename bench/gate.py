"""How often the gate promotes what it should not, and what it should: `python -m bench.gate`.

Nights are simulated: champion and candidate try the same tasks, a share of the tries differs, the
true difference is set. Three rules look at the same nights. The last line is JSON.
"""

import json
from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

from tracemill.evaluation.comparison import compare_overall, compare_slices
from tracemill.evaluation.gate_rules import GateRules
from tracemill.evaluation.pairing import PairedTry
from tracemill.evaluation.spending import alpha_for_use
from tracemill.evaluation.stats import mid_p, tango_score

NIGHTS = 20_000
RULES = GateRules()
Counts = npt.NDArray[np.int64]
"""Axes: night, slice, (gained, lost, equal)."""


class Slice(NamedTuple):
    """One slice of a simulated suite."""

    tasks: int
    difference: float
    """The candidate's true gain, as a share."""
    discordance: float
    """Share of tries that come out differently."""


class Scenario(NamedTuple):
    """One kind of night."""

    name: str
    slices: tuple[Slice, ...]
    is_improvement: bool
    """Whether it should be promoted: better overall, no slice worse than its margin."""


class Row(NamedTuple):
    """Share of nights that each rule promotes."""

    scenario: str
    is_improvement: bool
    score_went_up: float
    better_overall: float
    gate: float


def scenarios() -> Iterator[Scenario]:
    """Yield the nights that are looked at."""
    for points in (-2, -1, 0, 1, 2, 3, 5, 10):
        even = (Slice(400, points / 100, max(0.10, points / 100 * 1.4)),) * 3
        yield Scenario(f"{points:+d} points in each of 3 slices of 400", even, points >= 1)
    for loss in (5, 10, 20):
        slices = (Slice(400, 0.08, 0.12), Slice(400, 0.08, 0.12), Slice(400, -loss / 100, 0.22))
        yield Scenario(f"+8, +8 and -{loss} points in 3 slices of 400", slices, False)
    small = (Slice(60, 0.5, 0.6), Slice(60, 0.0, 0.02), Slice(60, 0.0, 0.02))
    yield Scenario("+50, 0 and 0 points in 3 slices of 60", small, True)
    tiny = (Slice(60, 0.5, 0.6), Slice(60, 0.0, 0.02), Slice(20, 0.0, 0.02))
    yield Scenario("+50, 0 and 0 points, the last slice only 20", tiny, False)


def draw(scenario: Scenario, nights: int, rng: np.random.Generator) -> Counts:
    """Return the counts of so many nights."""
    columns = [
        rng.multinomial(
            each.tasks,
            [
                (each.discordance + each.difference) / 2,
                (each.discordance - each.difference) / 2,
                1 - each.discordance,
            ],
            size=nights,
        )
        for each in scenario.slices
    ]
    return np.stack(columns, axis=1)


def promoted_by_gate(counts: Counts, rules: GateRules) -> npt.NDArray[np.bool_]:
    """Return the nights that the gate promotes, by the arithmetic of `judge`."""
    gained, lost, equal = np.moveaxis(counts, 2, 0)
    tasks = gained + lost + equal
    effect = (gained - lost).sum(1) / tasks.sum(1)
    is_better = (mid_p(gained.sum(1), lost.sum(1)) < rules.alpha) & (effect >= rules.min_effect)
    z = stats.norm.ppf((1 + rules.level) / 2)
    keeps = tango_score(gained, lost, tasks, -rules.slice_margin) > z
    result: npt.NDArray[np.bool_] = is_better & (effect > 0) & keeps.all(1)
    return result


def measure(scenario: Scenario, rng: np.random.Generator) -> Row:
    """Return how often each rule promotes in this scenario."""
    counts = draw(scenario, NIGHTS, rng)
    gained, lost = counts[:, :, 0].sum(1), counts[:, :, 1].sum(1)
    return Row(
        scenario.name,
        scenario.is_improvement,
        float((gained > lost).mean()),
        float((mid_p(gained, lost) < RULES.alpha).mean()),
        float(promoted_by_gate(counts, RULES).mean()),
    )


def agreement(rng: np.random.Generator, nights: int = 25) -> float:
    """Return the share of nights on which the gate's own code agrees with the arithmetic here."""
    agreed = []
    for scenario in scenarios():
        counts = draw(scenario, nights, rng)
        expected = promoted_by_gate(counts, RULES)
        agreed += [
            _gate_promotes(night) == was for night, was in zip(counts, expected, strict=True)
        ]
    return float(np.mean(agreed))


def _gate_promotes(night: npt.NDArray[np.int64]) -> bool:
    tries = [
        each for place, counts in enumerate(night) for each in _tries(f"slice-{place}", counts)
    ]
    names = sorted({each.slice for each in tries})
    overall, _ = compare_overall(tries, RULES)
    parts = [overall, *compare_slices(tries, names, RULES)]
    return all(part.result.outcome == "pass" for part in parts)


def _tries(name: str, counts: Sequence[int]) -> Iterator[PairedTry]:
    outcomes = ((False, True), (True, False), (True, True))
    for (champion, candidate), count in zip(outcomes, counts, strict=True):
        for number in range(count):
            task_id = f"{name}-{champion}-{candidate}-{number}"
            yield PairedTry(task_id, name, task_id, champion, candidate)


def ever_promoted(nights: int, rng: np.random.Generator, *, has_budget: bool) -> float:
    """Return the chance that nights of candidates that are no better promote any, on one suite."""
    runs = 1000
    champion = rng.random((runs, 200)) < 0.5
    promotions = np.zeros(runs, dtype=int)
    for use in range(1, nights + 1):
        is_redrawn = rng.random(champion.shape) < 0.3
        candidate = np.where(is_redrawn, rng.random(champion.shape) < 0.5, champion)
        p = mid_p((candidate & ~champion).sum(1), (champion & ~candidate).sum(1))
        budgets = np.array([alpha_for_use(0.05, use=use, promotions=k) for k in range(use)])
        wins = p < (budgets[promotions] if has_budget else 0.05)
        champion[wins] = candidate[wins]
        promotions += wins
    return float((promotions > 0).mean())


def main() -> None:
    """Print the table, then one line of JSON."""
    started = perf_counter()
    rng = np.random.default_rng(0)
    rows = [measure(scenario, rng) for scenario in scenarios()]
    print(f"share of {NIGHTS} nights promoted          score up   better   gate   should")
    for row in rows:
        shares = f"{row.score_went_up:8.1%} {row.better_overall:8.1%} {row.gate:7.1%}"
        print(f"{row.scenario:<45}{shares}   {'yes' if row.is_improvement else 'no'}")
    nightly = {
        name: ever_promoted(30, rng, has_budget=has_budget)
        for name, has_budget in (("5 % each night", False), ("5 % spent over all nights", True))
    }
    print(f"a candidate that is no better promoted within 30 nights on one suite: {nightly}")
    false = max(row.gate for row in rows if not row.is_improvement)
    agreed = agreement(rng)
    result = {
        "rows": [row._asdict() for row in rows],
        "most_false_promotions": false,
        "ever_within_30_nights": nightly,
        "agrees_with_judge": agreed,
        "seconds": round(perf_counter() - started, 1),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
