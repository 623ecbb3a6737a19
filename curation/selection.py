"""Selection: one task for each conversation, a wall around the suite, and no user, tenant or
kind of request that drowns the others (`caps.py`).

The suite's side is settled first, so that what is within its reach is known before anything of
the training side is kept.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from tracemill.curation.caps import capped
from tracemill.curation.near_duplicates import NearDuplicate, near_duplicates, within_reach
from tracemill.curation.options import CurationOptions
from tracemill.curation.reach import beginning_of, conversation_key, conversation_text
from tracemill.curation.rows import Example, Pair, Unpaired
from tracemill.curation.shingles import Shingles, shingle
from tracemill.curation.task import Task

SAME_PROMPT = "another task has the same prompt"
"""Why a task is left out."""


class Repeat(NamedTuple):
    """A task that was left out because another says nearly the same."""

    task_id: str
    of: str
    """The task that stays."""
    similarity: float
    """0 to 1."""


class Selected(NamedTuple):
    """The tasks that stay, and what was left out."""

    tasks: tuple[Task, ...]
    """Ordered by id."""
    left_out: Counter[str]
    """Reason → tasks."""
    repeats: tuple[Repeat, ...]
    """Which near-duplicates were left out, and of what."""


def select(
    tasks: Sequence[Task], options: CurationOptions, *, tenants: Mapping[str, str] | None = None
) -> Selected:
    """Return the tasks that stay; `tenants` names the tenant of each trace that has one.

    Of tasks with one prompt a mended failure stays before a healthy decision, then the earliest:
    so no prompt lies on both sides of the split, and none has two answers.
    """
    left_out: Counter[str] = Counter()
    cap = partial(capped, options=options, tenants=tenants or {}, left_out=left_out)
    distinct = _distinct([task for task in tasks if not task.is_whole_episode], left_out)
    episodes = _distinct([task for task in tasks if task.is_whole_episode], left_out)
    heldout = _thinned(_shingled(_side(distinct, "heldout")), options, left_out)
    suite = _shingled([*cap(heldout.tasks), *cap(_side(episodes, "heldout"))])
    practice = _out_of_reach(_shingled(_side(episodes, "train")), suite, options, left_out)
    clear = _out_of_reach(_shingled(_side(distinct, "train")), suite, options, left_out)
    train = _thinned(_Shingled(clear.tasks, clear.shingles), options, left_out)
    kept = [*suite.tasks, *cap(train.tasks), *cap(practice.tasks)]
    return Selected(
        tuple(sorted(kept, key=lambda task: task.id)),
        +left_out,
        (*heldout.repeats, *practice.repeats, *clear.repeats, *train.repeats),
    )


class _Shingled(NamedTuple):
    """Tasks, with the shingles of their prompts."""

    tasks: list[Task]
    shingles: Shingles


class _Kept(NamedTuple):
    """Those of some tasks that stay, and which others did not."""

    tasks: list[Task]
    shingles: Shingles
    repeats: list[Repeat]


def _shingled(tasks: Sequence[Task]) -> _Shingled:
    return _Shingled(list(tasks), shingle([conversation_text(task.prompt) for task in tasks]))


def _side(tasks: Iterable[Task], split: str) -> list[Task]:
    return [task for task in tasks if task.split == split]


def _distinct(tasks: Iterable[Task], left_out: Counter[str]) -> list[Task]:
    """The first task of each prompt, the best ranked first."""
    kept: defaultdict[object, list[Task]] = defaultdict(list)
    for task in sorted(tasks, key=_rank):
        kept[beginning_of(task.prompt)].append(task)
    distinct = []
    for alike in kept.values():
        by_prompt = {conversation_key(t.prompt): t for t in reversed(alike)} if alike[1:] else {}
        left_out[SAME_PROMPT] += len(alike) - max(1, len(by_prompt))
        distinct += list(by_prompt.values()) or alike
    return sorted(distinct, key=_rank)


def _rank(task: Task) -> tuple[bool, bool, datetime, str]:
    """Mended failures before those without a reference, both before healthy decisions."""
    return not task.is_failure, task.reference_origin == "resample", task.seen_at, task.id


def _thinned(some: _Shingled, options: CurationOptions, left_out: Counter[str]) -> _Kept:
    """The tasks whose prompt does not nearly repeat an earlier one of another trace."""
    found = near_duplicates(
        some.shingles,
        threshold=options.near_duplicate,
        owners=[task.sources[0].trace_id for task in some.tasks],
    )
    left_out["nearly the same as another task"] += len(found)
    return _without(some, found, some.tasks)


def _out_of_reach(
    some: _Shingled, suite: _Shingled, options: CurationOptions, left_out: Counter[str]
) -> _Kept:
    """The tasks whose prompt does not nearly repeat one of the suite."""
    found = within_reach(some.shingles, suite.shingles, threshold=options.near_duplicate)
    left_out["nearly the same as a task of the suite"] += len(found)
    return _without(some, found, suite.tasks)


def _without(some: _Shingled, found: Sequence[NearDuplicate], of: Sequence[Task]) -> _Kept:
    gone = {each.place for each in found}
    places = [place for place in range(len(some.tasks)) if place not in gone]
    return _Kept(
        [some.tasks[place] for place in places],
        some.shingles.some(np.array(places, np.int64)) if gone else some.shingles,
        [Repeat(some.tasks[e.place].id, of[e.of].id, e.similarity) for e in found],
    )


R = TypeVar("R", bound=Example | Pair | Unpaired)


class OutOfReach(NamedTuple, Generic[R]):
    """Rows that stand clear of the suite, and how many do not."""

    rows: tuple[R, ...]
    reached: int


def out_of_reach(
    rows: Sequence[R], suite: Sequence[Task], options: CurationOptions
) -> OutOfReach[R]:
    """Return the rows whose prompt is neither a suite's prompt nor nearly so, ordered by id."""
    asked = {conversation_key(task.prompt) for task in suite}
    near = within_reach(
        shingle([conversation_text(row.prompt) for row in rows]),
        shingle([conversation_text(task.prompt) for task in suite]),
        threshold=options.near_duplicate,
    )
    reached = {each.place for each in near}
    clear = [
        row
        for place, row in enumerate(rows)
        if place not in reached and conversation_key(row.prompt) not in asked
    ]
    return OutOfReach(tuple(sorted(clear, key=lambda row: row.id)), len(rows) - len(clear))
