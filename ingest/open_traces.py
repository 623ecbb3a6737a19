"""Open traces: those that wait for more spans, and which of them have waited for long enough."""

from collections.abc import Iterable, Set
from typing import NamedTuple

from tracemill.ingest.options import IngestOptions
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store

COLUMNS = (
    "trace_id", "topic", "first_arrival", "last_arrival", "has_root", "spans", "first_batch", "last_batch",
)  # fmt: skip


class Arrival(NamedTuple):
    """What came of one trace in one batch; times are of the records, in ms."""

    trace_id: str
    topic: str
    first: int
    last: int
    has_root: bool
    spans: int

    def and_also(self, other: "Arrival") -> "Arrival":
        """Return both as one."""
        return Arrival(
            self.trace_id,
            self.topic,
            min(self.first, other.first),
            max(self.last, other.last),
            self.has_root or other.has_root,
            self.spans + other.spans,
        )


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


def write_arrivals(store: Store, batch: int, arrived: Iterable[Arrival]) -> Set[str]:
    """Add what came of some traces in a batch to the open ones; inside a transaction.

    Returns the ids of those of which something came before: which are open, or were closed.
    """
    arrivals: dict[str, Arrival] = {}
    for one in arrived:
        known = arrivals.get(one.trace_id)
        arrivals[one.trace_id] = one if known is None else known.and_also(one)
    ids = list(arrivals)
    begun = {row[0] for row in store.execute(statement(__file__, "open_traces_begun"), [ids, ids])}
    store.append(
        "open_traces",
        COLUMNS,
        ((*one, batch, batch) for name, one in arrivals.items() if name not in begun),
    )
    if begun:
        going_on = [one for name, one in arrivals.items() if name in begun]
        columns = [list(column) for column in zip(*going_on, strict=True)]
        store.execute(statement(__file__, "open_traces_add"), [batch, *columns])
    return begun


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
