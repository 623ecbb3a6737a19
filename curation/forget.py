"""Forget: take a user out of everything that was made of their traces, and prove it by a search.

The store loses the rows, and ingest writes none of this user again. A frozen dataset that holds any gives way to another without them, under
its own hash. Model versions cannot unlearn: the report names the datasets that reached them, so
that the registry can be marked.
"""

import shutil
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from tracemill.curation import kept_drafts
from tracemill.curation.dataset_contents import (
    Contents,
    named,
    read_contents,
    read_manifest,
    write_contents,
)
from tracemill.curation.drafted_rows import kept_texts
from tracemill.curation.explain import Row, dataset_folders
from tracemill.curation.findings import prepare_tables
from tracemill.curation.night_counting import count_again, nights_of
from tracemill.curation.rows import Example, Pair, Unpaired
from tracemill.curation.task import Task
from tracemill.errors import StoreError
from tracemill.ingest.forgotten import forget_user, is_forgotten, welcome_user
from tracemill.ingest.ready_traces import ready_texts
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store
from tracemill.ingest.user_search import letters_with, traces_in_pieces
from tracemill.record import Record

R = TypeVar("R", Task, Example, Pair, Unpaired)

_TABLES = (
    "trace_rows", "feedback", "fragments", "open_traces", "closed_long_ago", "findings", "trace_facts", "known_words", "toolsets",
    *kept_drafts.TABLES,
)  # fmt: skip

_LONG = 12
"""A name of so many characters does not stand in a text by chance."""


class ReachedDataset(Record):
    """A frozen dataset that held rows of the user."""

    id: str
    """It is gone."""
    replaced_by: str
    """The same without those rows."""
    rows: int
    """Rows taken out, of all kinds."""


class Forgotten(Record):
    """What was taken out."""

    user_id: str
    traces: tuple[str, ...]
    """Ids of the user's traces, those among them that were still open too."""
    dead_letters: int
    """Records that could not be read, but name the user or a trace of theirs."""
    sent_letters: tuple[str, ...]
    """Ids of those of them that had been sent to a topic of dead letters: it still holds them."""
    datasets: tuple[ReachedDataset, ...]
    remaining: tuple[str, ...]
    """Places where a search still finds the user or one of the traces; empty is the proof."""


def forget(
    store: Store,
    datasets: Path,
    user_id: str,
    *,
    now: datetime,
    pseudonym: Callable[[str], str] = str,
) -> Forgotten:
    """Remove the user's traces and all that was made of them; `datasets` is the folder of datasets.

    `user_id` is the pseudonym that traces carry, and `pseudonym` gives it for a user's own id, as
    dead letters hold it. Raises StoreError where nothing is known of the user, and never was.
    The store's file still holds the bytes until `tracemill.ingest.compaction` writes it anew.
    """
    prepare_tables(store)
    was_forgotten = is_forgotten(store, user_id)
    closed = [row[0] for row in store.execute(statement(__file__, "traces_of_user"), [user_id])]
    traces = tuple(sorted({*closed, *traces_in_pieces(store, user_id)}))
    names = {user_id, *traces}
    letters = letters_with(store, lambda word: word in names or pseudonym(word) == user_id)
    sent = [row[0] for row in store.execute(statement(__file__, "sent_letters"), [letters])]
    nights = nights_of(store, traces)
    with store.transaction():
        forget_user(store, user_id, traces, now=now)
        for table in _TABLES:
            store.execute(statement(__file__, f"forget_{table}"), [list(traces)])
        kept_drafts.forget_drafts(store, user_id)
        store.execute(statement(__file__, "forget_dead_letters"), [letters])
    count_again(store, nights)
    reached = [
        found
        for path in dataset_folders(datasets)
        if (found := _forget_in_dataset(path, user_id, traces, now)) is not None
    ]
    if not (traces or reached or letters or was_forgotten):
        welcome_user(store, user_id)
        raise StoreError(f"nothing is known of user {user_id!r}: take the id from a trace")
    return Forgotten(
        user_id=user_id,
        traces=traces,
        dead_letters=len(letters),
        sent_letters=tuple(sent),
        datasets=tuple(reached),
        remaining=search(store, datasets, (user_id, *traces)),
    )


def _forget_in_dataset(
    path: Path, user_id: str, traces: Sequence[str], now: datetime
) -> ReachedDataset | None:
    """Replace the dataset by one without the user's rows; None where it holds none."""
    contents = read_contents(path)
    kept = Contents(
        tasks=_others(contents.tasks, user_id, traces),
        examples=_others(contents.examples, user_id, traces),
        pairs=_others(contents.pairs, user_id, traces),
        unpaired=_others(contents.unpaired, user_id, traces),
        suite=_others(contents.suite, user_id, traces),
    )
    rows = sum(contents.counts().values()) - sum(kept.counts().values())
    if rows == 0:
        return None
    former = read_manifest(path)
    refused = {**former.refused, "forgotten on request": rows}
    manifest = named(former.model_copy(update={"refused": refused}), kept)
    if not (path.parent / manifest.id).exists():
        write_contents(path.parent / manifest.id, kept, manifest, now)
    shutil.rmtree(path)
    return ReachedDataset(id=former.id, replaced_by=manifest.id, rows=rows)


def _others(rows: Iterable[R], user_id: str, traces: Sequence[str]) -> tuple[R, ...]:
    return tuple(row for row in rows if not _is_of(row, user_id, set(traces)))


def _is_of(row: Row, user_id: str, traces: set[str]) -> bool:
    return row.group == f"user {user_id}" or any(s.trace_id in traces for s in row.sources)


def search(store: Store, datasets: Path, names: Sequence[str]) -> tuple[str, ...]:
    """Return every place in the store and the datasets that still holds one of the names.

    All text columns of all tables are read, every trace and span, and every row of every dataset;
    not the list of the forgotten itself, which holds the user's pseudonym alone.
    """
    sought = [_as_written(name) for name in names]
    found = []
    for table, column in store.execute(statement(__file__, "text_columns")):
        rows = store.execute(_counting(table, column), [list(names), sought])
        if rows[0][0]:
            found.append(f"{table}.{column}")
    packed: dict[str, Iterable[str]] = {
        "traces.body": (trace.to_json() for trace in store.traces()),
        "trace_rows.body": ready_texts(store),
        "drafts": kept_texts(store),
    }
    found += [
        place
        for place, texts in packed.items()
        if any(name in text for text in texts for name in sought)
    ]
    if any(traces_in_pieces(store, name) for name in sought[:1]):
        found.append("fragments.body")
    for path in dataset_folders(datasets):
        if any(name in text for text in _texts(path) for name in sought):
            found.append(path.name)
    return tuple(found)


def _as_written(name: str) -> str:
    """The name as it stands in a JSON text; a short one in its quotes, or it would be everywhere."""
    return name if len(name) >= _LONG else f'"{name}"'


def _counting(table: str, column: str) -> str:
    """How many values of this column are one of the names ($1), or hold one as written ($2)?

    Table and column come from the store's own catalogue, and cannot be bound.
    """
    return (
        f'SELECT count(*) FROM (SELECT "{column}"::VARCHAR AS value FROM "{table}"), '  # noqa: S608 - names of the catalogue, quoted
        "(SELECT unnest($1::VARCHAR[]) AS sought, unnest($2::VARCHAR[]) AS written) "
        "WHERE value = sought OR contains(value, written)"
    )


def _texts(path: Path) -> Iterable[str]:
    contents = read_contents(path)
    kinds = (contents.tasks, contents.examples, contents.pairs, contents.unpaired, contents.suite)
    return (row.to_json() for rows in kinds for row in rows)
