"""Closing: traces that have been quiet, or waited, for long enough are rebuilt and written."""

from collections.abc import Iterator, Sequence, Set
from datetime import UTC, datetime
from typing import NamedTuple

from tracemill.ingest.dead_letters import DeadLetter, write_dead_letters
from tracemill.ingest.decoded import Decoded, Episode, Reject
from tracemill.ingest.feedback_rows import join_waiting
from tracemill.ingest.forgotten import ForgottenUsers
from tracemill.ingest.fragments import Gathered, read_fragments
from tracemill.ingest.old_spans import closed_long_ago, drop_spans_of, in_time
from tracemill.ingest.open_traces import OpenTrace, all_open_traces, due_traces
from tracemill.ingest.options import IngestOptions
from tracemill.ingest.ready_traces import any_ready, close_ready
from tracemill.ingest.rebuild import rebuild
from tracemill.ingest.redact import Redactor
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store
from tracemill.ingest.trace_rows import Written, write_traces
from tracemill.ingest.wire import WireRecord

MOST_AT_ONCE = 10_000
"""Traces whose ids are held in memory at once."""
PAGE_SPANS = 2000
"""Spans that are held in memory at once, but for a trace of more."""
READY_SPANS = 8000
"""Spans of the ready traces that are closed in one commit: whoever reads what changed holds those of a
commit in memory at once."""


class Closed(NamedTuple):
    """What became of the traces that were closed together."""

    written: Written
    rejects: int
    skipped: int
    """Traces of something else than an agent."""
    forgotten: int
    """Traces of forgotten users, which were not written."""


def close_due(
    store: Store, options: IngestOptions, redactor: Redactor, clock_ms: int, now: datetime
) -> Iterator[Closed]:
    """Close what is due by the clock, page by page, each in a transaction of its own."""
    while due := due_traces(store, options, clock_ms, MOST_AT_ONCE):
        yield from _close(store, due, redactor, now)
        if len(due) < MOST_AT_ONCE:
            break


def close_all(store: Store, redactor: Redactor, now: datetime) -> Iterator[Closed]:
    """Close every open trace, page by page."""
    while due := all_open_traces(store, MOST_AT_ONCE):
        yield from _close(store, due, redactor, now)


def _close(
    store: Store, due: Sequence[OpenTrace], redactor: Redactor, now: datetime
) -> Iterator[Closed]:
    are_ready = bool(due) and any_ready(store)
    for some in _pages(due, READY_SPANS):
        ready = _close_ready(store, some) if are_ready else frozenset()
        yield Closed(Written(new=len(ready)), 0, 0, 0)
        for page in _pages([trace for trace in some if trace.trace_id not in ready], PAGE_SPANS):
            yield _close_page(store, page, redactor, now)


def _close_ready(store: Store, traces: Sequence[OpenTrace]) -> Set[str]:
    with store.transaction():
        change = store.next_change()
        ready = close_ready(store, traces, change)
        if ready:
            join_waiting(store, change)
        store.execute(statement(__file__, "open_traces_close"), [list(ready)])
    return ready


def _close_page(
    store: Store, page: Sequence[OpenTrace], redactor: Redactor, now: datetime
) -> Closed:
    with store.transaction():
        gone = ForgottenUsers(store)
        late = closed_long_ago(store, page)
        rebuilt = [_rebuilt(one) for one in gone.without_pieces(read_fragments(store, page))]
        if late:
            rebuilt = [in_time(store, one, late, now) for one in rebuilt]
        drop_spans_of(store, list(late))
        letters = [one for one in rebuilt if isinstance(one, DeadLetter)]
        episodes = [one for one in rebuilt if isinstance(one, Episode)]
        change = store.next_change() if episodes else 0
        written = write_traces(store, episodes, change)
        if written.change:
            join_waiting(store, change)
        write_dead_letters(store, letters, redactor, now)
        store.execute(
            statement(__file__, "open_traces_close"), [[trace.trace_id for trace in page]]
        )
    skipped = len(rebuilt) - len(letters) - len(episodes)
    return Closed(written, len(letters), skipped, gone.refused)


def _pages(due: Sequence[OpenTrace], spans: int) -> Iterator[list[OpenTrace]]:
    page: list[OpenTrace] = []
    held = 0
    for trace in due:
        if page and held + trace.spans > spans:
            yield page
            page, held = [], 0
        page.append(trace)
        held += trace.spans
    if page:
        yield page


def _rebuilt(gathered: Gathered) -> Episode | DeadLetter | None:
    arrived = datetime.fromtimestamp(gathered.last_arrival_ms / 1000, UTC)
    outcome = Decoded("rebuild")
    with outcome.part(f"trace {gathered.trace_id}"):
        made = rebuild(gathered.trace_id, gathered.spans, gathered.sources, arrived)
        if made is not None and gathered.is_cut:
            cut = made.trace.model_copy(update={"is_truncated": True})
            made = made._replace(trace=cut)
        return made
    source = gathered.sources[0]
    record = WireRecord(
        source.topic, source.partition, source.first_offset, gathered.last_arrival_ms, None, None
    )
    reject: Reject = outcome.rejects[0]
    return DeadLetter(record, reject, outcome.decoder)
