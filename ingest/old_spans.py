"""Old spans: those of traces that were closed long ago are not kept, and later ones come too late.

A late span makes its trace anew out of all its spans. Where the others are gone it would put a
fragment in the place of the whole, so it becomes a dead letter instead.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from tracemill.ingest.dead_letters import DeadLetter
from tracemill.ingest.decoded import Episode, Reject
from tracemill.ingest.open_traces import OpenTrace
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store
from tracemill.ingest.trace_rows import content_hash
from tracemill.ingest.wire import WireRecord

Rebuilt = Episode | DeadLetter | None
"""A trace, why there is none, or nothing of an agent."""
BETWEEN_MARKS = timedelta(days=1)
"""Between two notes of how far batches had come: no time is kept with each of them."""


def drop_old_spans(store: Store, *, keep_days: float, now: datetime) -> int:
    """Drop the spans of traces of which the last came so long ago, and return how many there were.

    A trace that is open keeps all of its spans, however old.
    """
    store.execute(statement(__file__, "batch_marks_add"), [now, now - BETWEEN_MARKS])
    ((last_batch, marked_at),) = store.execute(
        statement(__file__, "batch_marks_before"), [now - timedelta(days=keep_days)]
    )
    if last_batch is None:
        return 0
    with store.transaction():
        store.execute(statement(__file__, "old_spans_note"), [marked_at, last_batch, last_batch])
        ((spans,),) = store.execute(statement(__file__, "old_spans_count"), [last_batch])
        store.execute(statement(__file__, "old_spans_drop"), [last_batch])
        store.execute(statement(__file__, "batch_marks_remove"), [marked_at])
    return int(spans)


def closed_long_ago(store: Store, traces: Sequence[OpenTrace]) -> Mapping[str, datetime]:
    """Return those of the traces whose spans are gone, each with a time by which it was closed."""
    late = [trace.trace_id for trace in traces if trace.was_closed]
    return dict(store.execute(statement(__file__, "old_spans_of"), [late])) if late else {}


def in_time(store: Store, made: Rebuilt, late: Mapping[str, datetime], now: datetime) -> Rebuilt:
    """Return what was made of late spans; a dead letter where their trace's others are gone.

    A trace that came again as a whole says what the store holds already, and stays what it is.
    """
    if not isinstance(made, Episode) or made.trace.id not in late:
        return made
    known = store.execute(statement(__file__, "traces_known"), [[made.trace.id]])
    if [content for _, _, content in known] == [content_hash(made.trace)]:
        return made
    source = made.trace.sources[0]
    at_ms = int(now.timestamp() * 1000)
    record = WireRecord(source.topic, source.partition, source.first_offset, at_ms, None, None)
    reason = (
        f"came {(now - late[made.trace.id]).days} days after its trace was closed: the other spans "
        "are not kept for so long (keep_spans_days)"
    )
    return DeadLetter(record, Reject("invalid", reason, f"trace {made.trace.id}"), "rebuild")


def drop_spans_of(store: Store, trace_ids: Sequence[str]) -> None:
    """Drop all spans of these traces; inside a transaction."""
    if trace_ids:
        store.execute(statement(__file__, "fragments_remove"), [list(trace_ids)])
