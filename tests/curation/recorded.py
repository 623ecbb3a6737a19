"""Real recorded runs as traces, and a store that holds given traces."""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from tracemill.ingest.store import Store
from tracemill.ingest.trace import (
    ExpectedCall,
    Message,
    ModelRef,
    Outcome,
    SourceRange,
    ToolCall,
    Trace,
)

AIRLINE = "tau-bench/historical_trajectories/gpt-4o-airline.json"
RESILIENCE = (
    "tau-bench-pr68-resilience/tau_bench/"
    "tool-calling-grok-3-0.0_range_0--1_user-grok-3-llm_0921131646.json"
)


def tau_bench(path: Path, *, model: str) -> tuple[Trace, ...]:
    """The rows of a tau-bench result file; the shaped reward gives way to the plain one."""
    rows = orjson.loads(path.read_bytes())
    return tuple(_trace(row, model, place) for place, row in enumerate(rows))


def _trace(row: dict[str, Any], model: str, place: int) -> Trace:
    info = row["info"]
    components = (info.get("reward_info") or {}).get("components", {})
    return Trace(
        id=f"{row['task_id']}-{row['trial']}",
        user_id=info["task"]["user_id"],
        task=str(row["task_id"]),
        model=ModelRef(name=model),
        messages=tuple(_message(message) for message in row["traj"]),
        outcome=Outcome(
            reward=components.get("base_success", row["reward"]),
            expected_calls=tuple(
                ExpectedCall(name=action["name"], arguments=action["kwargs"])
                for action in info["task"]["actions"]
            ),
        ),
        started_at=datetime(2026, 3, 1, 1, tzinfo=UTC),
        dialect="tau-bench",
        sources=(SourceRange(topic="runs", partition=0, first_offset=place, last_offset=place),),
    )


def _message(message: dict[str, Any]) -> Message:
    calls = [
        ToolCall(
            id=call["id"], name=call["function"]["name"], arguments=call["function"]["arguments"]
        )
        for call in message.get("tool_calls") or ()
    ]
    return Message(
        role=message["role"],
        content=message.get("content"),
        tool_calls=tuple(calls),
        tool_call_id=message.get("tool_call_id"),
        name=message.get("name"),
    )


def keep(store: Store, traces: Iterable[Trace]) -> None:
    """Write the traces as one commit of ingest would."""
    with store.transaction():
        change = store.next_change()
        store.upsert(
            "traces",
            ("id", "revision", "changed_at", "started_at", "session_id", "user_id", "model_name",
             "model_version", "dialect", "content_hash", "aliases", "body"),
            [
                (t.id, t.revision, change, t.started_at, t.session_id, t.user_id, t.model.name,
                 t.model.version, t.dialect, "", [], t.model_copy(update={"feedback": ()}).to_json())
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
