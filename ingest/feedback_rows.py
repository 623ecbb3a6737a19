"""Feedback rows: kept whether or not their trace is there, and joined to it as soon as it is."""

from collections.abc import Sequence

from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store
from tracemill.ingest.trace import Feedback

COLUMNS = ("id", "target", "trace_id", "arrival", "created_at", "retracted", "body")


def write_feedback(store: Store, said: Sequence[Feedback], change: int) -> None:
    """Add what was said, and join it to the traces that are there; inside a transaction.

    A later saying with the same id corrects (or retracts) the earlier one.
    """
    before = int(store.execute(statement(__file__, "feedback_new"))[0][0])
    rows = [
        (one.id, one.target, None, before + number, one.created_at, one.retracted, one.to_json())
        for number, one in enumerate(said, start=1)
    ]
    store.append("feedback", COLUMNS, rows)
    _touch(store, store.execute(statement(__file__, "feedback_join_new"), [before]), change)


def join_waiting(store: Store, change: int) -> None:
    """Join to the traces of this commit what was said of them before they came."""
    if store.execute(statement(__file__, "feedback_waits")):
        store.execute(statement(__file__, "feedback_join_waiting"), [change])


def _touch(store: Store, joined: Sequence[tuple[str]], change: int) -> None:
    traces = sorted({trace_id for (trace_id,) in joined})
    if traces:
        store.execute(statement(__file__, "traces_touch"), [change, traces])
