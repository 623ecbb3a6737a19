"""Drafted rows: what the kept drafts of all traces hold together.

Only tasks that can still be chosen are read whole. Of those beyond the caps by far nothing is read
but what the caps ask; they are counted under the cap's own reason.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from typing import NamedTuple

from tracemill.curation.caps import FAILURES, HEALTHY, JUDGEMENTS, OVER_CAP
from tracemill.curation.options import CurationOptions
from tracemill.curation.rows import Unpaired
from tracemill.curation.selection import SAME_PROMPT, Repeat
from tracemill.curation.task import Task
from tracemill.curation.withheld import TOO_OLD, WITHHELD, Withheld
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store, unpack_json
from tracemill.ingest.trace import SourceRange

_TIMES_THE_CAP = 4
"""So many tasks as a cap lets through are compared with each other: near-duplicates fall out."""


_MOST_REPEATS = 1000
"""Exact repeats that are named, of failures and of healthy decisions, on each side."""
_PAGE = 10_000
"""Rows of a table that are searched at once."""


class Candidates(NamedTuple):
    """The tasks that can still be chosen, ordered by id."""

    tasks: tuple[Task, ...]
    tenants: dict[str, str]
    """Trace → tenant, where it has one."""
    left_out: Counter[str]
    """Reason → tasks that can not."""
    repeats: tuple[Repeat, ...]
    """Which repeat the prompt of another exactly; not all, where there are very many."""


def candidates(store: Store, options: CurationOptions, kept_back: Withheld) -> Candidates:
    """Return the drafted tasks without those that are withheld, repeat a prompt or lie far beyond
    a cap."""
    parameters = [
        options.max_failures_per_group,
        options.max_healthy_per_group,
        options.max_failures_per_tenant,
        options.max_healthy_per_tenant,
        options.max_healthy_per_slice,
        _TIMES_THE_CAP,
        list(kept_back.from_training),
        None if kept_back.suite is None else list(kept_back.suite),
        _MOST_REPEATS,
    ]
    chosen: list[str] = []
    repeats: list[Repeat] = []
    left_out: Counter[str] = Counter()
    for row in store.execute(statement(__file__, "candidate_tasks"), parameters):
        is_failure, is_for_training, *passed, count, ids, repeated = row
        repeats += (Repeat(task_id, of, 1.0) for task_id, of in repeated or ())
        if all(passed):
            chosen += ids
        else:
            left_out[_reason(is_failure, is_for_training, passed.index(False))] += count
    rows = store.execute(statement(__file__, "drafted_task_bodies"), [chosen])
    return Candidates(
        tasks=tuple(Task.from_json(unpack_json(body)) for body, _, _ in rows),
        tenants={trace_id: tenant for _, trace_id, tenant in rows if tenant},
        left_out=left_out,
        repeats=tuple(repeats),
    )


def _reason(is_failure: bool, is_for_training: bool, hurdle: int) -> str:
    if hurdle == 0:
        return WITHHELD if is_for_training else TOO_OLD
    if hurdle == 1:
        return SAME_PROMPT
    per = ("group", "tenant", "kind")[hurdle - 2]
    return OVER_CAP.format(FAILURES if is_failure else HEALTHY, per)


def count_drafts(store: Store) -> int:
    """Return how many traces were drafted."""
    return int(store.execute(statement(__file__, "count_drafts"))[0][0])


class Judgements(NamedTuple):
    """The judgements without a pair that stay."""

    rows: tuple[Unpaired, ...]
    left_out: Counter[str]
    """Reason → judgements that do not."""


def judgements(
    store: Store, options: CurationOptions, *, without: Collection[str] = ()
) -> Judgements:
    """Return the judgements that no pair could be made of; `without` are traces that give none."""
    caps = (options.max_judgements_per_group, options.max_judgements_per_tenant)
    rows, left_out = [], Counter[str]()
    for body, in_group in store.execute(
        statement(__file__, "drafted_judgement_bodies"), [list(without), *caps]
    ):
        if body is None:
            left_out[OVER_CAP.format(JUDGEMENTS, "tenant" if in_group else "group")] += 1
        else:
            rows.append(Unpaired.from_json(unpack_json(body)))
    return Judgements(tuple(rows), left_out)


def refusals(store: Store) -> Counter[str]:
    """Return why something of the traces came to nothing, and how often."""
    return Counter(dict(store.execute(statement(__file__, "draft_refusals"))))


def sources(store: Store) -> tuple[SourceRange, ...]:
    """Return every place on the wire that the drafted traces came from."""
    return tuple(
        SourceRange(topic=topic, partition=partition, first_offset=first, last_offset=last)
        for topic, partition, first, last in store.execute(statement(__file__, "draft_sources"))
    )


def kept_texts(store: Store) -> Iterator[str]:
    """Yield every packed row of the kept drafts, as JSON."""
    last = int(store.execute(statement(__file__, "last_drafted_row"))[0][0])
    for first in range(0, last + 1, _PAGE):
        for (body,) in store.execute(
            statement(__file__, "drafted_bodies"), [first, first + _PAGE - 1]
        ):
            yield unpack_json(body).decode()
