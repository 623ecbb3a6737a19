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
from tracemill.ingest.fragments import Fragment, OpenTrace
from tracemill.ingest.rebuild import rebuild
from tracemill.ingest.span import Span
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store, unpack_json
from tracemill.ingest.trace import SourceRange
from tracemill.ingest.trace_rows import COLUMNS, row_of


class Ready(NamedTuple):
    """A trace that seems whole, rebuilt."""

    trace_id: str
    users: frozenset[str]
    """All whom its spans name."""
    row: tuple[object, ...]


def made_ready(
    fragment: Fragment, spans: Sequence[Span], packer: zstandard.ZstdCompressor
) -> Ready | None:
    """Return the trace that these spans are; None of what is none, or fails: closing it says why."""
    users = users_of(spans)  # rebuilding merges the spans
    episode = _rebuilt(fragment, spans)
    if episode is None:
        return None
    return Ready(fragment.trace_id, users, row_of(episode, 0, 0, packer))


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
    store: Store, batch: int, ready: Sequence[Ready], fragments: Sequence[Fragment]
) -> None:
    """Write those of the batch's traces that are whole in it; inside its transaction."""
    pieces = Counter(fragment.trace_id for fragment in fragments)
    whole = [one for one in ready if pieces[one.trace_id] == 1]
    ids = [one.trace_id for one in whole]
    begun = {
        row[0] for row in store.execute(statement(__file__, "open_traces_begun"), [ids, batch])
    }
    rows = [(batch, *one.row) for one in whole if one.trace_id not in begun]
    if rows:
        store.append("ready_traces", ("batch", *COLUMNS), rows)


def close_ready(store: Store, traces: Sequence[OpenTrace], change: int) -> set[str]:
    """Move those of these traces that are ready to the others, as of commit number `change`.

    Returns their ids. Inside a transaction.
    """
    batches = [trace.last_batch for trace in traces]
    place = [min(batches), max(batches)]
    ids = [trace.trace_id for trace in traces]
    ready = [
        row[0] for row in store.execute(statement(__file__, "ready_traces_due"), [*place, ids])
    ]
    # bodies are read in a statement of their own, without a join that would hold them in memory
    store.execute(statement(__file__, "ready_traces_move"), [change, *place, ready])
    return set(ready)


def drop_unneeded(store: Store) -> None:
    """Throw away what was made ready of traces that are closed, or of which more came."""
    store.execute(statement(__file__, "ready_traces_drop"))


def ready_texts(store: Store) -> Iterator[str]:
    """Yield the JSON of each trace that is ready, a batch's at a time in memory."""
    for (batch,) in store.execute(statement(__file__, "ready_traces_batches")):
        for (body,) in store.execute(statement(__file__, "ready_traces_bodies"), [batch]):
            yield unpack_json(body).decode()


def any_ready(store: Store) -> bool:
    """Whether any trace is ready."""
    return bool(store.execute(statement(__file__, "ready_traces_any")))
