"""Traces of a serving model in a store, as ingest would have left them."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from tracemill.ingest.store import Store
from tracemill.ingest.trace import Message, ModelRef, Outcome, ToolCall, Trace

DAY = datetime(2026, 3, 1, 12, tzinfo=UTC)


def keep(store: Store, traces: Iterable[Trace]) -> None:
    """Write the traces as one commit."""
    columns = (
        "id", "revision", "changed_at", "started_at", "session_id", "user_id", "model_name",
        "model_version", "dialect", "content_hash", "aliases", "body",
    )  # fmt: skip
    with store.transaction():
        change = store.next_change()
        rows: list[tuple[object, ...]] = [
            (t.id, t.revision, change, t.started_at, None, None, t.model.name, t.model.version,
             t.dialect, "", [], t.to_json().encode())
            for t in traces
        ]  # fmt: skip
        store.upsert("trace_rows", columns, rows)


def served(id_: str, *, version: str, reward: float, day: int = 0) -> Trace:
    """A short talk of a model version that came to this reward."""
    return _trace(id_, version, day, reward, Message(role="assistant", content="ok"))


def outage(id_: str, *, version: str) -> Trace:
    """A talk that a tool's outage spoiled."""
    call = ToolCall(id="c", name="refund_order", arguments='{"order_id": 332}')
    return _trace(
        id_,
        version,
        0,
        0.0,
        Message(role="assistant", tool_calls=(call,)),
        Message(role="tool", tool_call_id="c", content="503 Service Unavailable", is_error=True),
        Message(role="assistant", content="sorry"),
    )


def refused(id_: str, *, version: str, reward: float | None) -> Trace:
    """A talk in which a tool refused a call; a reward, where there is one, says how it ended."""
    call = ToolCall(id="c", name="refund_order", arguments='{"order_id": 332}')
    return _trace(
        id_,
        version,
        0,
        reward,
        Message(role="assistant", tool_calls=(call,)),
        Message(role="tool", tool_call_id="c", content="Error: no such order", is_error=True),
        Message(role="assistant", content="Which order is it?"),
    )


def _trace(id_: str, version: str, day: int, reward: float | None, *messages: Message) -> Trace:
    started = DAY + timedelta(days=day)
    return Trace(
        id=id_,
        model=ModelRef(name="desk", version=version),
        messages=(Message(role="user", content="please"), *messages),
        outcome=Outcome(reward=reward),
        started_at=started,
        ended_at=started,
        dialect="test",
    )
