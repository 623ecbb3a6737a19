"""Lineage: what a candidate was trained on, down to the offsets on the wire."""

from collections import Counter
from collections.abc import Iterable
from typing import Literal

from tracemill.curation.dataset import Dataset
from tracemill.curation.finding import FailureMode
from tracemill.ingest.trace import SourceRange
from tracemill.record import Record

RowKind = Literal["example", "replay", "pair"]


class RowCount(Record):
    """How many rows of one kind and origin were trained on."""

    kind: RowKind
    """Replay is healthy behaviour, kept against forgetting."""
    origin: str
    rows: int


class TopicRange(Record):
    """Which part of one partition the rows come from; offsets are inclusive."""

    topic: str
    partition: int
    first_offset: int
    last_offset: int


class ModeCount(Record):
    """How many training tasks come from one failure mode."""

    mode: str
    """Its id."""
    name: str
    tasks: int


class Lineage(Record):
    """A dataset in figures."""

    dataset_id: str
    rows: tuple[RowCount, ...]
    tasks: int
    """Training tasks that the rows are made of."""
    traces: int
    """Production traces that the training tasks come from."""
    modes: tuple[ModeCount, ...]
    """Most tasks first."""
    topics: tuple[TopicRange, ...]
    refused: dict[str, int]
    """Reason → what curation left out by it."""


def trace_lineage(dataset: Dataset, modes: Iterable[FailureMode] = ()) -> Lineage:
    """Return the lineage of the dataset's training rows; `modes` give failure modes their names."""
    names = {mode.id: mode.name for mode in modes}
    rows: Counter[tuple[RowKind, str]] = Counter(
        ("replay" if row.is_replay else "example", row.origin) for row in dataset.examples
    )
    rows.update(("pair", row.origin) for row in dataset.pairs)
    of_modes = Counter(task.failure_mode for task in dataset.tasks if task.failure_mode is not None)
    return Lineage(
        dataset_id=dataset.id,
        rows=tuple(
            RowCount(kind=kind, origin=origin, rows=count)
            for (kind, origin), count in sorted(rows.items())
        ),
        tasks=len(dataset.tasks),
        traces=len({source.trace_id for task in dataset.tasks for source in task.sources}),
        modes=tuple(
            ModeCount(mode=mode, name=names.get(mode, mode), tasks=count)
            for mode, count in of_modes.most_common()
        ),
        topics=merge_ranges(dataset.manifest.sources),
        refused=dataset.manifest.refused,
    )


def merge_ranges(sources: Iterable[SourceRange]) -> tuple[TopicRange, ...]:
    """Return one range for each partition, from the first offset to the last."""
    spans: dict[tuple[str, int], list[int]] = {}
    for source in sources:
        spans.setdefault((source.topic, source.partition), []).extend(
            (source.first_offset, source.last_offset)
        )
    return tuple(
        TopicRange(
            topic=topic, partition=partition, first_offset=min(offsets), last_offset=max(offsets)
        )
        for (topic, partition), offsets in sorted(spans.items())
    )
