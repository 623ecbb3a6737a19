"""Caps: no user, no tenant and no kind of request drowns the others.

Each cap keeps the latest tasks, and counts what it leaves out under a reason of its own.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from tracemill.curation.options import CurationOptions
from tracemill.curation.rows import Pair
from tracemill.curation.task import Task

OVER_CAP = "over the cap of {} of one {}"
"""Why a task or row is left out: one of the kinds below, and whose."""
FAILURES, HEALTHY, PAIRS, JUDGEMENTS = "failures", "healthy decisions", "pairs", "judgements"
_Key = Callable[[Task], str | None]


class _Cap(NamedTuple):
    """At most so many tasks for each value of the key; tasks without one are not counted."""

    most: int
    key: _Key
    reason: str


def capped(
    tasks: Iterable[Task],
    options: CurationOptions,
    *,
    tenants: Mapping[str, str],
    left_out: Counter[str],
) -> list[Task]:
    """Return the tasks of one side that stay, and count the others in `left_out`.

    `tenants` names the tenant of each trace that has one.
    """

    def tenant(task: Task) -> str | None:
        return tenants.get(task.sources[0].trace_id)

    said = OVER_CAP.format
    of_failures = (
        _Cap(options.max_failures_per_group, _group, said(FAILURES, "group")),
        _Cap(options.max_failures_per_tenant, tenant, said(FAILURES, "tenant")),
    )
    of_healthy = (
        _Cap(options.max_healthy_per_group, _group, said(HEALTHY, "group")),
        _Cap(options.max_healthy_per_tenant, tenant, said(HEALTHY, "tenant")),
        _Cap(options.max_healthy_per_slice, _slice, said(HEALTHY, "kind")),
    )
    latest = sorted(tasks, key=lambda task: (task.seen_at, task.id), reverse=True)
    return [
        *_within([task for task in latest if task.is_failure], of_failures, left_out),
        *_within([task for task in latest if not task.is_failure], of_healthy, left_out),
    ]


def capped_pairs(
    pairs: Iterable[Pair], options: CurationOptions, *, left_out: Counter[str]
) -> list[Pair]:
    """Return the pairs of siblings that stay, the first of each group, and count the others."""
    counts: Counter[str] = Counter()
    kept = []
    for pair in sorted(pairs, key=lambda pair: pair.id):
        counts[pair.group] += 1
        if counts[pair.group] <= options.max_failures_per_group:
            kept.append(pair)
        else:
            left_out[OVER_CAP.format(PAIRS, "group")] += 1
    return kept


def _group(task: Task) -> str:
    return task.group


def _slice(task: Task) -> str:
    return task.slice


def _within(latest: list[Task], caps: Iterable[_Cap], left_out: Counter[str]) -> list[Task]:
    """The tasks within all caps; what one cap leaves out does not count for the next."""
    for cap in caps:
        counts: Counter[str | None] = Counter()
        kept = []
        for task in latest:
            name = cap.key(task)
            counts[name] += 1
            if name is None or counts[name] <= cap.most:
                kept.append(task)
        left_out[cap.reason] += len(latest) - len(kept)
        latest = kept
    return latest
