"""Explain: where a row came from, back to the records on the wire."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from tracemill.curation.dataset_contents import read_contents
from tracemill.curation.findings import findings_of, prepare_tables
from tracemill.curation.rows import Example, Pair, Unpaired
from tracemill.curation.task import Task, TraceRef
from tracemill.errors import StoreError
from tracemill.ingest.store import Store
from tracemill.ingest.trace import SourceRange
from tracemill.record import Record

RowKind = Literal["task", "example", "pair", "unpaired", "suite task"]
Row = Task | Example | Pair | Unpaired


class ExplainedSource(Record):
    """One trace behind a row."""

    trace_id: str
    revision: int
    """As it was read for the row."""
    latest_revision: int | None
    """In the store; None where the trace is no longer there."""
    user_id: str | None
    model: str | None
    records: tuple[SourceRange, ...]
    """Topic, partition and offsets of the records that it came in."""
    findings: tuple[str, ...]
    """What detectors claim of it."""
    sub_agents: tuple[str, ...] = ()
    """Agents whose own conversations it holds beside the main agent's, which alone makes rows."""


class Explanation(Record):
    """A row's line of descent."""

    row_id: str
    kind: RowKind
    datasets: tuple[str, ...]
    """Ids of the datasets that hold it."""
    task_id: str | None
    origin: str
    """Where its right side came from."""
    slice: str
    group: str
    failure_mode: str | None
    sources: tuple[ExplainedSource, ...]


def explain(store: Store, datasets: Path, row_id: str) -> Explanation:
    """Return where the row with this id came from; `datasets` is the folder of frozen datasets.

    Raises StoreError where no dataset holds such a row.
    """
    prepare_tables(store)
    found = [
        (path.name, kind, row)
        for path in dataset_folders(datasets)
        for kind, row in rows_in(path)
        if row.id == row_id
    ]
    if not found:
        raise StoreError(
            f"no dataset in {str(datasets)!r} holds a row {row_id!r}: take the id from a "
            "dataset's files, a report or a model version's page"
        )
    _, kind, row = found[0]
    return Explanation(
        row_id=row_id,
        kind=kind,
        datasets=tuple(sorted({name for name, _, _ in found})),
        task_id=row.id if isinstance(row, Task) else _task_of(row),
        origin=_origin(row),
        slice=row.slice,
        group=row.group,
        failure_mode=row.failure_mode if isinstance(row, Task) else None,
        sources=tuple(_source(store, source) for source in row.sources),
    )


def dataset_folders(datasets: Path) -> tuple[Path, ...]:
    """Return the folders of the datasets that are frozen below `datasets`, by name."""
    return tuple(sorted(path.parent for path in datasets.glob("*/manifest.json")))


def rows_in(path: Path) -> Iterator[tuple[RowKind, Row]]:
    """Yield each row of the dataset in this folder, with its kind."""
    contents = read_contents(path)
    yield from (("task", row) for row in contents.tasks)
    yield from (("example", row) for row in contents.examples)
    yield from (("pair", row) for row in contents.pairs)
    yield from (("unpaired", row) for row in contents.unpaired)
    yield from (("suite task", row) for row in contents.suite)


def _task_of(row: Example | Pair | Unpaired) -> str | None:
    return None if isinstance(row, Unpaired) else row.task_id or None


def _origin(row: Row) -> str:
    match row:
        case Task():
            return row.reference_origin
        case Unpaired():
            return f"feedback {row.feedback_id}"
        case _:
            return row.origin


def _source(store: Store, source: TraceRef) -> ExplainedSource:
    trace = store.trace(source.trace_id)
    found = findings_of(store, [source.trace_id]).get(source.trace_id, ())
    return ExplainedSource(
        trace_id=source.trace_id,
        revision=source.revision,
        latest_revision=trace.revision if trace else None,
        user_id=trace.user_id if trace else None,
        model=trace.model.label if trace else None,
        records=trace.sources if trace else (),
        findings=tuple(f"{finding.detector}: {finding.claim}" for finding in found),
        sub_agents=tuple(agent.agent for agent in trace.sub_agents) if trace else (),
    )
