"""Night counting: how many traces showed each failure mode, kept by night.

Only the nights that mining touched are counted again, so that following the modes costs no more
in a store of many nights.
"""

from collections.abc import Iterable, Sequence

from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store


def nights_changed_since(store: Store, since: int) -> frozenset[str]:
    """Return the nights of the mined traces that commits after number `since` changed."""
    return _nights(store.execute(statement(__file__, "nights_of_changed"), [since]))


def nights_of(store: Store, trace_ids: Sequence[str]) -> frozenset[str]:
    """Return the nights of these traces."""
    return _nights(store.execute(statement(__file__, "nights_of_traces"), [list(trace_ids)]))


def count_again(store: Store, nights: Iterable[str]) -> None:
    """Count the traces and the modes of these nights anew."""
    touched = sorted(nights)
    if not touched:
        return
    with store.transaction():
        for question in ("drop_mode_nights", "drop_night_counts"):
            store.execute(statement(__file__, question), [touched])
        for question in ("count_mode_nights", "count_nights"):
            store.execute(statement(__file__, question), [touched])


def _nights(rows: Iterable[tuple[str]]) -> frozenset[str]:
    return frozenset(night for (night,) in rows)
