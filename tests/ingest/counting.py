"""How much a store holds: whether each record was counted, and once."""

from datetime import UTC, datetime

from tracemill.ingest.store import Store


def now() -> datetime:
    return datetime.now(UTC)


def count(store: Store) -> int:
    return int(store.execute("SELECT count(*) FROM traces")[0][0])


def counts(store: Store) -> tuple[int, int, int]:
    """Traces, distinct records that they come from, and how far the offsets are."""
    traces = list(store.traces())
    places = {(s.topic, s.partition, s.first_offset) for trace in traces for s in trace.sources}
    ((read,),) = store.execute("SELECT sum(next_offset) FROM offsets")
    return len(traces), len(places), int(read)
