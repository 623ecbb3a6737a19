"""Which rows a round trains on: what was mended, and replay of what is healthy beside it."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple, TypeVar

from tracemill.curation.rows import Example, Pair, Unpaired
from tracemill.curation.task import Task

Row = TypeVar("Row", Example, Pair, Unpaired, Task)


class ChosenExamples(NamedTuple):
    """The rows of the SFT stage."""

    mended: tuple[Example, ...]
    replayed: tuple[Example, ...]

    @property
    def rows(self) -> tuple[Example, ...]:
        """Both kinds, in one order that depends on their content alone."""
        return tuple(sorted((*self.mended, *self.replayed), key=lambda example: example.id))


def choose_examples(
    examples: Sequence[Example], *, replay_share: float, limit: int | None = None
) -> ChosenExamples:
    """Return the mended examples and as many healthy ones as `replay_share` of the rows takes.

    Fewer healthy examples than the share asks for are all taken. More rows than `limit` are
    thinned out, both kinds in proportion; slices take turns, so each keeps its part.
    """
    mended = _in_turn([example for example in examples if not example.is_replay])
    healthy = _in_turn([example for example in examples if example.is_replay])
    if replay_share < 1:
        healthy = healthy[: round(len(mended) * replay_share / (1 - replay_share))]
    total = len(mended) + len(healthy)
    if limit is not None and total > limit:
        kept = min(limit, max(1, round(limit * len(mended) / total)))
        mended, healthy = mended[:kept], healthy[: limit - kept]
    return ChosenExamples(tuple(mended), tuple(healthy))


def choose_pairs(pairs: Sequence[Pair], *, limit: int | None = None) -> tuple[Pair, ...]:
    """Return the pairs, at most `limit`; slices take turns."""
    return tuple(_in_turn(pairs)[:limit])


def choose_unpaired(rows: Sequence[Unpaired], *, limit: int | None = None) -> tuple[Unpaired, ...]:
    """Return the judgements, at most `limit`; slices take turns.

    In order of their ids, which is no order: KTO compares each row with its neighbours.
    """
    return tuple(sorted(_in_turn(rows)[:limit], key=lambda row: row.id))


def choose_tasks(tasks: Sequence[Task], *, replay_share: float) -> tuple[Task, ...]:
    """Return the failing tasks that the champion sometimes solves, or may, and healthy ones beside
    them as `replay_share` asks; slices take turns."""
    failing = _in_turn([task for task in tasks if task.is_failure and _is_within_reach(task)])
    healthy = _in_turn([task for task in tasks if not task.is_failure])
    if replay_share < 1:
        healthy = healthy[: round(len(failing) * replay_share / (1 - replay_share))]
    return tuple(sorted((*failing, *healthy), key=lambda task: task.id))


def _is_within_reach(task: Task) -> bool:
    return task.pass_rate is None or 0.0 < task.pass_rate < 1.0


def _in_turn(rows: Sequence[Row]) -> list[Row]:
    by_slice: dict[str, list[Row]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: row.id):
        by_slice[row.slice].append(row)
    turns = zip_longest(*(by_slice[name] for name in sorted(by_slice)))
    return [row for turn in turns for row in turn if row is not None]
