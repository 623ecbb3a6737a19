"""Comparison: what paired tries say of the whole suite and of each slice.

The whole suite must show a gain, each slice that it loses no more than its margin. All slices
have to pass, so their tests need no correction (an intersection-union test); calling a slice
worse is corrected for looking at several (Holm).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from tracemill.evaluation import wording
from tracemill.evaluation.gate_rules import GateRules
from tracemill.evaluation.pairing import PairedTry, cluster_by_group
from tracemill.evaluation.stats import (
    Cluster,
    PairCounts,
    effective_counts,
    fate_correlation,
    holm,
    pairs_to_show_gain,
    pairs_to_show_no_loss,
    sign_flip_p,
    tango_interval,
)
from tracemill.evaluation.verdict import Interval, SliceOutcome, SliceResult


@dataclass(frozen=True)
class PartFinding:
    """One part of the suite with what it would take to know more."""

    result: SliceResult
    needed: str
    """Empty where the evidence suffices."""


@dataclass(frozen=True)
class _Sample:
    """The tries of one part of the suite, counted."""

    name: str
    tries: tuple[PairedTry, ...]
    clusters: tuple[Cluster, ...]
    counts: PairCounts
    """At their worth as evidence."""
    difference: Interval

    @property
    def tasks(self) -> int:
        return len({each.task_id for each in self.tries})

    @property
    def change(self) -> str:
        champion = sum(each.champion_passed for each in self.tries)
        candidate = sum(each.candidate_passed for each in self.tries)
        return wording.change(champion, candidate, len(self.tries))

    def tasks_for(self, pairs: int) -> int:
        """Return how many tasks like these are worth so many independent pairs."""
        return ceil(pairs * self.tasks / self.counts.pairs)


def compare_overall(tries: Sequence[PairedTry], rules: GateRules) -> tuple[PartFinding, float]:
    """Return what all tries together say, and the p-value of there being no gain."""
    sample = _sample("all tasks", tries, rules, overall=None)
    p = sign_flip_p(sample.clusters)
    effect = sample.difference.estimate
    numbers = (
        f"{sample.change} ({wording.signed(effect)} points, "
        f"{wording.interval(sample.difference)}; {wording.p_value(p)}, needed < {rules.alpha:.2g})"
    )
    if effect <= 0:
        return PartFinding(_result(sample, "fail", f"not better: {numbers}"), ""), p
    if effect < rules.min_effect:
        wanted = wording.in_points(rules.min_effect)
        reason = f"better by less than the {wanted} worth a change: {numbers}"
        return PartFinding(_result(sample, "fail", reason), ""), p
    if p < rules.alpha:
        return PartFinding(_result(sample, "pass", f"better: {numbers}"), ""), p
    pairs = pairs_to_show_gain(
        effect, sample.counts.discordance, alpha=rules.alpha, power=rules.power
    )
    needed = f"about {sample.tasks_for(pairs)} tasks to show a gain of this size"
    reason = f"looks better, but chance is not ruled out: {numbers}"
    return PartFinding(_result(sample, "insufficient", reason), needed), p


def compare_slices(
    tries: Sequence[PairedTry], names: Sequence[str], rules: GateRules
) -> tuple[PartFinding, ...]:
    """Return what each slice says, in the order of the names."""
    overall = fate_correlation(cluster_by_group(tries))
    scored = {name: [each for each in tries if each.slice == name] for name in names}
    samples = {
        name: _sample(name, members, rules, overall=overall)
        for name, members in scored.items()
        if members
    }
    harms = holm([_p_worse(sample.clusters) for sample in samples.values()])
    found = {
        name: _judge_slice(sample, harm, rules)
        for (name, sample), harm in zip(samples.items(), harms, strict=True)
    }
    return tuple(found.get(name) or _unscored(name, rules) for name in names)


def _sample(
    name: str, tries: Sequence[PairedTry], rules: GateRules, *, overall: float | None
) -> _Sample:
    """Count the tries; pairs of a group are as alike as they look here or in the whole suite.

    Where neither shows how alike they are, a group is worth one pair.
    """
    clusters = cluster_by_group(tries)
    known = [each for each in (fate_correlation(clusters), overall) if each is not None]
    counts = effective_counts(clusters, correlation=max(known, default=1.0))
    difference = tango_interval(counts, level=rules.level)
    return _Sample(name, tuple(tries), clusters, counts, difference)


def _p_worse(clusters: Sequence[Cluster]) -> float:
    return sign_flip_p([Cluster(each.lost, each.gained, each.pairs) for each in clusters])


def _judge_slice(sample: _Sample, harm: float, rules: GateRules) -> PartFinding:
    margin, difference = rules.margin(sample.name), sample.difference
    numbers = f"{sample.name}: {sample.change}"
    change = f"{wording.signed(difference.estimate)} points, {wording.interval(difference)}"
    if difference.low > -margin:
        return PartFinding(_result(sample, "pass", f"{numbers} ({change})", margin), "")
    if harm < (1 - rules.level) / 2:
        reason = (
            f"{numbers}, worse by {wording.in_points(difference.estimate)} "
            f"({wording.interval(difference)})"
        )
        return PartFinding(_result(sample, "fail", reason, margin), "")
    reason = (
        f"{numbers} ({change}): a loss of up to {wording.in_points(difference.low)} is not "
        f"ruled out, {wording.points(margin)} would be tolerated"
    )
    return PartFinding(
        _result(sample, "insufficient", reason, margin), _tasks_needed(sample, margin, rules)
    )


def _tasks_needed(sample: _Sample, margin: float, rules: GateRules) -> str:
    pairs = pairs_to_show_no_loss(
        margin, sample.counts.discordance, level=rules.level, power=rules.power
    )
    tasks = sample.tasks_for(pairs)
    if tasks > sample.tasks:
        return f"{sample.name}: about {tasks} tasks (it has {sample.tasks})"
    return f"{sample.name}: more than its {wording.tasks(sample.tasks)}, or a smaller loss"


def _result(
    sample: _Sample, outcome: SliceOutcome, reason: str, margin: float | None = None
) -> SliceResult:
    tries = len(sample.tries)
    champion = [each.champion_passed for each in sample.tries]
    candidate = [each.candidate_passed for each in sample.tries]
    return SliceResult(
        name=sample.name,
        tasks=sample.tasks,
        tries=tries,
        champion_rate=sum(champion) / tries,
        candidate_rate=sum(candidate) / tries,
        gained=sum(new and not old for old, new in zip(champion, candidate, strict=True)),
        lost=sum(old and not new for old, new in zip(champion, candidate, strict=True)),
        difference=sample.difference,
        margin=margin,
        outcome=outcome,
        reason=reason,
    )


def _unscored(name: str, rules: GateRules) -> PartFinding:
    """Return a slice of which nothing is known: its difference may be anything."""
    unknown = Interval(estimate=0.0, low=-1.0, high=1.0, level=rules.level)
    reason = f"{name}: no task has a score on both sides"
    result = SliceResult(
        name=name,
        tasks=0,
        tries=0,
        champion_rate=0.0,
        candidate_rate=0.0,
        gained=0,
        lost=0,
        difference=unknown,
        margin=rules.margin(name),
        outcome="insufficient",
        reason=reason,
    )
    return PartFinding(result, f"{name}: a score for any of its tasks")
