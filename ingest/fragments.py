"""Fragments: the spans of a trace as they come, in the store until the trace is closed and after.

Grouping happens here, not in the worker's memory: a worker that dies loses nothing, and another
may bring the next spans of the same trace.
"""

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

import zstandard

from tracemill.ingest.decoded import Reject
from tracemill.ingest.open_traces import Arrival, OpenTrace, write_arrivals
from tracemill.ingest.span import Span, dump_spans, load_spans
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store, new_packer
from tracemill.ingest.trace import SourceRange
from tracemill.ingest.wire import WireRecord

MOST_IN_ONE = 500
"""Spans of one fragment."""
MOST_SPANS = 10_000
"""Of one trace that are held in memory; a trace of more is cut in its middle and says so."""
COLUMNS = (
    "batch", "trace_id", "topic", "partition", "first_offset", "last_offset", "spans", "body",
)  # fmt: skip


class Fragment(NamedTuple):
    """Spans of one trace that came in one batch from one partition."""

    trace_id: str
    first: WireRecord
    last: WireRecord
    has_root: bool
    spans: int
    """How many they are."""
    body: bytes
    """The spans, as a row keeps them."""


@dataclass(slots=True)
class _Growing:
    """A fragment of which more may come."""

    first: WireRecord
    last: WireRecord
    has_root: bool = False
    spans: list[Span] = field(default_factory=list)
    pieces: list[bytes] = field(default_factory=list)
    """The spans as JSON lists."""


class Fragments:
    """The fragments of one batch, gathered record by record."""

    def __init__(self) -> None:
        self._growing: dict[tuple[str, str, int], _Growing] = {}
        self._packed: list[Fragment] = []
        self._packer = new_packer()

    def add(self, record: WireRecord, spans: Iterable[Span]) -> list[Reject]:
        """Gather the spans of a record, and return rejects of those that cannot be written."""
        rejects: list[Reject] = []
        for _, group in groupby(spans, key=attrgetter("trace_id")):
            together = list(group)
            for first in range(0, len(together), MOST_IN_ONE):
                self._gather(record, together[first : first + MOST_IN_ONE], rejects)
        return rejects

    def _gather(self, record: WireRecord, spans: list[Span], rejects: list[Reject]) -> None:
        """Gather spans of one trace: together, or one by one if one of them cannot be written."""
        try:
            piece = dump_spans(spans)
        except TypeError as error:  # a number beyond 64 bits
            if len(spans) == 1:
                rejects.append(Reject("invalid", f"{error}", f"span {spans[0].span_id}"))
                return
            for span in spans:
                self._gather(record, [span], rejects)
        else:
            self._add(record, spans, piece)

    def _add(self, record: WireRecord, spans: list[Span], piece: bytes) -> None:
        place = (spans[0].trace_id, record.topic, record.partition)
        growing = self._growing.get(place)
        if growing is not None and len(growing.spans) + len(spans) > MOST_IN_ONE:
            self._pack(place)
            growing = None
        if growing is None:
            growing = self._growing[place] = _Growing(record, record)
        growing.last = record
        growing.has_root = growing.has_root or any(span.is_root for span in spans)
        growing.pieces.append(piece)
        growing.spans += spans

    def pack_rooted(self) -> list[tuple[Fragment, list[Span]]]:
        """Pack those that hold a root, and return each with its spans; what still comes is another."""
        places = [place for place, growing in self._growing.items() if growing.has_root]
        return [self._pack(place) for place in places]

    def pack_all(self) -> list[Fragment]:
        """Pack the others, too, and return all of the batch."""
        for place in tuple(self._growing):
            self._pack(place)
        return self._packed

    def _pack(self, place: tuple[str, str, int]) -> tuple[Fragment, list[Span]]:
        done = self._growing.pop(place)
        body = self._packer.compress(_joined(done.pieces))
        fragment = Fragment(place[0], done.first, done.last, done.has_root, len(done.spans), body)
        self._packed.append(fragment)
        return fragment, done.spans


class Filed(NamedTuple):
    """Where the fragments of a batch lie, and which of their traces had begun before."""

    batch: int
    begun: Set[str]


def write_fragments(store: Store, fragments: Sequence[Fragment]) -> Filed:
    """Add the fragments of a batch to the store, and their traces to the open ones.

    Inside a transaction.
    """
    batch = int(store.execute(statement(__file__, "next_batch"))[0][0])
    store.append("fragments", COLUMNS, ((batch, *_row(fragment)) for fragment in fragments))
    return Filed(batch, write_arrivals(store, batch, map(_arrival, fragments)))


def _row(fragment: Fragment) -> tuple[object, ...]:
    return (
        fragment.trace_id,
        fragment.first.topic,
        fragment.first.partition,
        fragment.first.offset,
        fragment.last.offset,
        fragment.spans,
        fragment.body,
    )


def _joined(lists: Sequence[bytes]) -> bytes:
    """JSON lists as one."""
    return lists[0] if len(lists) == 1 else b"[" + b",".join(one[1:-1] for one in lists) + b"]"


def _arrival(fragment: Fragment) -> Arrival:
    return Arrival(
        fragment.trace_id,
        fragment.first.topic,
        fragment.first.timestamp_ms,
        fragment.last.timestamp_ms,
        fragment.has_root,
        fragment.spans,
    )


class Gathered(NamedTuple):
    """All that came of one trace."""

    trace_id: str
    spans: list[Span]
    sources: tuple[SourceRange, ...]
    last_arrival_ms: int
    is_cut: bool
    """There were more than MOST_SPANS: those in the middle are left out."""


class _Stored(NamedTuple):
    """A fragment as the store holds it."""

    trace_id: str
    topic: str
    partition: int
    first_offset: int
    last_offset: int
    spans: int
    body: bytes
    last_arrival_ms: int


def read_fragments(store: Store, traces: Sequence[OpenTrace]) -> tuple[Gathered, ...]:
    """Return what came of these open traces, ordered by their ids."""
    first, last = min(t.first_batch for t in traces), max(t.last_batch for t in traces)
    ids = [trace.trace_id for trace in traces]
    found: dict[str, list[_Stored]] = {}
    for row in store.execute(statement(__file__, "fragments_of"), [first, last, ids]):
        found.setdefault(row[0], []).append(_Stored(*row))
    return tuple(_gathered(stored) for stored in found.values())


def _gathered(stored: Sequence[_Stored]) -> Gathered:
    unpacker = zstandard.ZstdDecompressor()
    kept = _ends(stored)
    sources: tuple[SourceRange, ...] = ()
    for one in stored:
        sources = _with_source(
            sources,
            SourceRange(
                topic=one.topic,
                partition=one.partition,
                first_offset=one.first_offset,
                last_offset=one.last_offset,
            ),
        )
    return Gathered(
        stored[0].trace_id,
        [span for one in kept for span in load_spans(unpacker.decompress(one.body))],
        sources,
        stored[0].last_arrival_ms,
        len(kept) < len(stored),
    )


def _ends(stored: Sequence[_Stored]) -> Sequence[_Stored]:
    """Return the first and the last fragments, within MOST_SPANS (and one fragment more)."""
    if sum(one.spans for one in stored) <= MOST_SPANS:
        return stored
    first = _within(stored, MOST_SPANS // 2)
    last = _within(stored[::-1], MOST_SPANS // 2)
    return [*stored[:first], *stored[max(first, len(stored) - last) :]]


def _within(stored: Sequence[_Stored], most: int) -> int:
    """Return how many fragments from the beginning hold `most` spans at most; one at least."""
    held = 0
    for index, one in enumerate(stored):
        held += one.spans
        if held > most:
            return max(1, index)
    return len(stored)


def _with_source(known: tuple[SourceRange, ...], source: SourceRange) -> tuple[SourceRange, ...]:
    """Add a range, or widen the one of its partition."""
    for index, one in enumerate(known):
        if (one.topic, one.partition) == (source.topic, source.partition):
            widened = one.model_copy(
                update={
                    "first_offset": min(one.first_offset, source.first_offset),
                    "last_offset": max(one.last_offset, source.last_offset),
                }
            )
            return (*known[:index], widened, *known[index + 1 :])
    return (*known, source)
