"""Wording: the sentences of a verdict, the same on the command line, the page and the report."""

from collections import Counter
from collections.abc import Iterable, Sequence

from tracemill.evaluation.gate_rules import GateRules
from tracemill.evaluation.verdict import Interval


def points(share: float) -> str:
    """Return a share in percentage points, with a decimal where it is under ten.

    >>> points(0.875), points(-0.004)
    ('88', '0.4')
    """
    value = abs(share) * 100
    return f"{value:.0f}" if value >= 9.95 or value == round(value) else f"{value:.1f}"


def signed(share: float) -> str:
    """Return a share in signed percentage points.

    >>> signed(0.875), signed(-0.004), signed(0.0)
    ('+88', '-0.4', '0')
    """
    text = points(share)
    return text if text in ("0", "0.0") else f"{'-' if share < 0 else '+'}{text}"


def in_points(share: float) -> str:
    """Return a share with its unit.

    >>> in_points(0.01), in_points(0.05)
    ('1 point', '5 points')
    """
    return "1 point" if points(share) == "1" else f"{points(share)} points"


def interval(difference: Interval) -> str:
    """Return the interval in words.

    >>> interval(Interval(estimate=0.1, low=-0.02, high=0.2, level=0.9))
    '90 % interval -2 to +20'
    """
    return f"{difference.level:.0%} interval ".replace("%", " %") + (
        f"{signed(difference.low)} to {signed(difference.high)}"
    )


def p_value(p: float) -> str:
    """Return the p-value as `p = 0.012` or `p < 0.0001`."""
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.2g}"


def change(champion_passes: int, candidate_passes: int, tries: int) -> str:
    """Return how often each passed: `0 of 24 → 22 of 24`."""
    return f"{champion_passes} of {tries} → {candidate_passes} of {tries}"


def counted(count: int, noun: str) -> str:
    """Return `1 task` or `n tasks`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def tasks(count: int) -> str:
    """Return `1 task` or `n tasks`."""
    return counted(count, "task")


def too_little_scored(share: float, whys: Iterable[str], rules: GateRules) -> str:
    """Return why the evidence is too thin, with what was left out on which side."""
    return (
        f"only {share:.1%} of the tries have a score on both sides, {rules.min_scored_share:.1%} "
        f"are wanted: left out {excluded(whys)}"
    )


def excluded(whys: Iterable[str]) -> str:
    """Return the counts of what was left out: `3 (2 candidate unscorable, 1 …)`."""
    counts = Counter(whys)
    listed = ", ".join(f"{count} {why}" for why, count in counts.most_common())
    return f"{counts.total()} ({listed})"


def guards_lost(task_ids: Sequence[str]) -> str:
    """Return which guard tasks the candidate lost."""
    return f"lost {tasks(len(task_ids))} on which no loss is allowed: {', '.join(task_ids)}"


def guards_unscored(task_ids: Sequence[str]) -> str:
    """Return which guard tasks have no score on both sides."""
    return f"no score on both sides for guard {', '.join(task_ids)}"


def too_long(ratio: float, rules: GateRules) -> str:
    """Return by how much the candidate's answers are too long."""
    return (
        f"writes {ratio:.1f} times as many tokens as the champion on the tasks that both pass, "
        f"{rules.max_length_ratio:g} are allowed"
    )


def unknown_margin(name: str) -> str:
    """Return that a margin is set for a slice without tasks."""
    return f"a margin is set for {name!r}, but the suite has no such slice"
