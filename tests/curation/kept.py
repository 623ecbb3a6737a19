"""A store that holds given traces and their feedback, as ingest would have left it."""

from collections.abc import Iterable

from tracemill.ingest.store import Store
from tracemill.ingest.trace import Trace


def keep(store: Store, traces: Iterable[Trace]) -> None:
    """Write the traces as one commit of ingest would."""
    with store.transaction():
        change = store.next_change()
        store.upsert(
            "trace_rows",
            ("id", "revision", "changed_at", "started_at", "session_id", "user_id", "model_name",
             "model_version", "dialect", "content_hash", "aliases", "body"),
            [
                (t.id, t.revision, change, t.started_at, t.session_id, t.user_id, t.model.name,
                 t.model.version, t.dialect, "", [], t.model_copy(update={"feedback": ()}).to_json().encode())
                for t in traces
            ],
        )  # fmt: skip


def give_feedback(store: Store, traces: Iterable[Trace]) -> None:
    """Write the feedback that the traces carry, as ingest would join it."""
    rows = [
        (said.id, said.target, one.id, 0, said.created_at, said.retracted, said.to_json())
        for one in traces
        for said in one.feedback
    ]
    columns = ("id", "target", "trace_id", "arrival", "created_at", "retracted", "body")
    with store.transaction():
        store.append("feedback", columns, rows)
