"""Ready traces: those whose spans came together are rebuilt while these are in memory.

They wait for late spans like any other. If none comes, closing many of them is one statement, and
no span is read back; if one comes, what was made ready is thrown away.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import zstandard

from tracemill.ingest.decoded import Decoded, Episode
from tracemill.ingest.dialects.attributes import users_of
from tracemill.ingest.fragments import Filed, Fragment
from tracemill.ingest.open_traces import OpenTrace
from tracemill.ingest.rebuild import rebuild
from tracemill.ingest.span import Span
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store, unpack_json
from tracemill.ingest.trace import SourceRange
from tracemill.ingest.trace_rows import drop_ready, row_of, write_open


class Ready(NamedTuple):
    """A trace that seems whole, rebuilt."""

    trace_id: str
    users: frozenset[str]
    """All whom its spans name."""
    row: tuple[object, ...]


def made_ready(
    whole: Sequence[tuple[Fragment, Sequence[Span]]], packer: zstandard.ZstdCompressor
) -> list[Ready]:
    """Return the traces that these spans are, but for what is none, or fails: closing it says why."""
    users = [users_of(spans) for _, spans in whole]  # before rebuilding merges the spans
    episodes = [_rebuilt(fragment, spans) for fragment, spans in whole]
    return [
        Ready(episode.trace.id, named, row_of(episode, 0, packer))
        for named, episode in zip(users, episodes, strict=True)
        if episode is not None
    ]


def _rebuilt(fragment: Fragment, spans: Sequence[Span]) -> Episode | None:
    record = fragment.last
    source = SourceRange(
        topic=record.topic,
        partition=record.partition,
        first_offset=fragment.first.offset,
        last_offset=record.offset,
    )
    arrived = datetime.fromtimestamp(record.timestamp_ms / 1000, UTC)
    with Decoded("rebuild").part(fragment.trace_id):
        return rebuild(fragment.trace_id, spans, (source,), arrived)
    return None


def write_ready(
    store: Store, filed: Filed, ready: Sequence[Ready], fragments: Sequence[Fragment]
) -> None:
    """Write those of the batch's traces that are whole in it; inside its transaction.

    What was ready of a trace that goes on in this batch is thrown away.
    """
    if filed.begun:
        drop_ready(store, sorted(filed.begun))
    pieces = Counter(fragment.trace_id for fragment in fragments)
    whole = (o.row for o in ready if pieces[o.trace_id] == 1 and o.trace_id not in filed.begun)
    write_open(store, filed.batch, whole)


def close_ready(store: Store, traces: Sequence[OpenTrace], change: int) -> set[str]:
    """Close those of these traces that are ready, as of commit number `change`.

    Returns their ids. Inside a transaction.
    """
    batches = [trace.last_batch for trace in traces]
    place = [max(batches), min(batches)]
    ids = [trace.trace_id for trace in traces]
    ready = [
        row[0] for row in store.execute(statement(__file__, "ready_traces_due"), [*place, ids])
    ]
    # asked to return the ids itself, the update would write each row anew
    store.execute(statement(__file__, "ready_traces_close"), [change, *place, ready])
    return set(ready)


def ready_texts(store: Store) -> Iterator[str]:
    """Yield the JSON of each trace that is ready, a batch's at a time in memory."""
    for (batch,) in store.execute(statement(__file__, "ready_traces_batches")):
        for (body,) in store.execute(statement(__file__, "ready_traces_bodies"), [batch]):
            yield unpack_json(body).decode()


def any_ready(store: Store) -> bool:
    """Whether any trace is ready."""
    return bool(store.execute(statement(__file__, "ready_traces_any")))
