"""Open traces: those that wait for more spans, and which of them have waited for long enough."""

from typing import NamedTuple

from tracemill.ingest.options import IngestOptions
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store


class OpenTrace(NamedTuple):
    """A trace that waits, and where its fragments lie."""

    trace_id: str
    spans: int
    first_batch: int
    last_batch: int

    @property
    def was_closed(self) -> bool:
        """Whether it is open for another time: a late span came."""
        return self.first_batch == 0


def all_open_traces(store: Store, most: int) -> list[OpenTrace]:
    """Return the first so many open traces."""
    return [
        OpenTrace(*row) for row in store.execute(statement(__file__, "open_traces_all"), [most])
    ]


def due_traces(store: Store, options: IngestOptions, clock_ms: int, most: int) -> list[OpenTrace]:
    """Return the first so many open traces that are to be closed now."""
    topics = options.topics
    quiet, wait = options.quiet_seconds, options.max_wait_seconds
    own_quiet = [_ms(t.quiet_seconds, quiet) for t in topics.values()]
    own_wait = [_ms(t.max_wait_seconds, wait) for t in topics.values()]
    general = [clock_ms, _ms(None, quiet), clock_ms, _ms(None, wait)]
    rows = store.execute(
        statement(__file__, "open_traces_due"), [list(topics), own_quiet, own_wait, *general, most]
    )
    return [OpenTrace(*row) for row in rows]


def _ms(own: float | None, general: float) -> int:
    return int((general if own is None else own) * 1000)
