"""Selection: one task for each prompt, and no user or kind of request that drowns the others."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from tracemill.curation.options import CurationOptions
from tracemill.curation.reach import conversation_key
from tracemill.curation.task import Task

Selected = tuple[tuple[Task, ...], Counter[str]]
"""The tasks that stay, and how many were left out by reason."""


def select(tasks: Sequence[Task], options: CurationOptions) -> Selected:
    """Return the tasks that stay, ordered by id, and the counts of those left out.

    Of tasks with one prompt a mended failure stays before a healthy decision, then the earliest:
    so no prompt lies on both sides of the split, and none has two answers.
    """
    left_out: Counter[str] = Counter()
    distinct = _distinct(tasks, left_out)
    failures = _capped(
        [task for task in distinct if task.is_failure],
        options.max_failures_per_group,
        key=lambda task: task.group,
    )
    healthy = _capped(
        [task for task in distinct if not task.is_failure],
        options.max_healthy_per_slice,
        key=lambda task: f"{task.split} {task.slice}",
    )
    left_out["over the cap of failures of one group"] += sum(map(_is_failure, distinct)) - len(
        failures
    )
    left_out["over the cap of healthy decisions of one kind"] += (
        len(distinct) - sum(map(_is_failure, distinct)) - len(healthy)
    )
    return tuple(sorted((*failures, *healthy), key=lambda task: task.id)), +left_out


def _is_failure(task: Task) -> bool:
    return task.is_failure


def _distinct(tasks: Iterable[Task], left_out: Counter[str]) -> list[Task]:
    kept: dict[str, Task] = {}
    for task in sorted(tasks, key=_rank):
        key = conversation_key(task.prompt)
        if key in kept:
            left_out["another task has the same prompt"] += 1
        else:
            kept[key] = task
    return list(kept.values())


def _rank(task: Task) -> tuple[bool, bool, datetime, str]:
    """Mended failures before those without a reference, both before healthy decisions."""
    return not task.is_failure, task.reference_origin == "resample", task.seen_at, task.id


def _capped(tasks: Iterable[Task], most: int, *, key: Callable[[Task], str]) -> list[Task]:
    """The latest tasks, at most `most` for each key."""
    counts: Counter[str] = Counter()
    kept = []
    for task in sorted(tasks, key=lambda task: (task.seen_at, task.id), reverse=True):
        counts[key(task)] += 1
        if counts[key(task)] <= most:
            kept.append(task)
    return kept
