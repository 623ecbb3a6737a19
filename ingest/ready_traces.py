"""Ready traces: those whose spans came all in one batch are rebuilt while these are in memory.

They wait for late spans like any other. If none comes, closing many of them is one statement, and
no span is read back; if one comes, what was made ready is thrown away.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from tracemill.ingest.decoded import Decoded, Episode
from tracemill.ingest.fragments import Fragment, OpenTrace
from tracemill.ingest.rebuild import rebuild
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store, new_packer, unpack_json
from tracemill.ingest.trace import SourceRange
from tracemill.ingest.trace_rows import COLUMNS, row_of


def write_ready(store: Store, batch: int, fragments: Sequence[Fragment]) -> None:
    """Rebuild those of the batch's traces that seem whole; inside the transaction of the batch."""
    pieces = Counter(fragment.trace_id for fragment in fragments)
    whole = [each for each in fragments if each.has_root and pieces[each.trace_id] == 1]
    ids = [fragment.trace_id for fragment in whole]
    begun = {
        row[0] for row in store.execute(statement(__file__, "open_traces_begun"), [ids, batch])
    }
    episodes = [_rebuilt(fragment) for fragment in whole if fragment.trace_id not in begun]
    packer = new_packer()
    rows = [(batch, *row_of(episode, 0, 0, packer)) for episode in episodes if episode is not None]
    if rows:
        store.append("ready_traces", ("batch", *COLUMNS), rows)


def _rebuilt(fragment: Fragment) -> Episode | None:
    """Return the trace; None of what is none, or fails: closing it says why."""
    record = fragment.last
    source = SourceRange(
        topic=record.topic,
        partition=record.partition,
        first_offset=fragment.first.offset,
        last_offset=record.offset,
    )
    arrived = datetime.fromtimestamp(record.timestamp_ms / 1000, UTC)
    with Decoded("rebuild").part(fragment.trace_id):
        return rebuild(fragment.trace_id, fragment.spans, (source,), arrived)
    return None


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
