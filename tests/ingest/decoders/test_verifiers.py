"""Episodes as verifiers 0.4.0 writes them: `Episode.model_dump_json(exclude_none=True)`."""

from typing import Any

import orjson
import pytest

from tests.ingest.reading import decode_value, traces_of
from tracemill.ingest.trace import Trace

TOOL = {
    "type": "function",
    "name": "refund_order",
    "description": "Refund.",
    "parameters": {"type": "object", "properties": {"order_id": {"type": "integer"}}},
}


def node(parent: int | None, message: dict[str, Any], **fields: Any) -> dict[str, Any]:
    sampled = message["role"] == "assistant"
    return {
        **({} if parent is None else {"parent": parent}),
        "message": message,
        "sampled": sampled,
        "timestamp": 1_767_607_201.0,
        "token_ids": [1, 2],
        "mask": [sampled] * 2,
        **fields,
    }


def call(node: int, reason: str, **usage: int) -> dict[str, Any]:
    return {"node": node, "model": "m1", "finish_reason": reason, "usage": usage}


def rollout(**fields: Any) -> dict[str, Any]:
    made = {"id": "c1", "type": "function", "name": "refund_order", "arguments": '{"order_id":1}'}
    return {
        "version": 1,
        "id": "r1",
        "verifiers": {"version": "0.4.0"},
        "task": {"type": "DecisionTask", "data": {"idx": 0}, "key": "task-1", "hash": "h"},
        "agent": {"config": {}, "name": "solver", "trainable": True},
        "tools": [],
        "nodes": [
            node(None, {"role": "system", "content": "You refund."}, tools=[TOOL]),
            node(0, {"role": "user", "content": "refund 1"}),
            node(1, {"role": "assistant", "content": "", "tool_calls": [made]}),
            node(2, {"role": "tool", "tool_call_id": "c1", "content": "ok"}),
            node(3, {"role": "assistant", "content": "Done."}),
        ],
        "calls": [
            call(2, "tool_calls", prompt_tokens=10, completion_tokens=5),
            call(4, "stop", prompt_tokens=4, cached_input_tokens=16, completion_tokens=2),
        ],
        "rewards": {"right_calls": {"score": 1.0, "weight": 1.0}},
        "metrics": {},
        "ok": True,
        "errors": [],
        "timing": {"start": 1_767_607_200.0, "agent": {"start": 1.0, "end": 1_767_607_203.0}},
        **fields,
    }


def line(*traces: dict[str, Any]) -> bytes:
    task = {"type": "DecisionTask", "data": {"idx": 0}, "key": "task-1", "hash": "h"}
    episode = {"id": "e1", "env": {"id": "desk"}, "task": task, "ok": True, "errors": []}
    return orjson.dumps({**episode, "traces": list(traces)})


def only(**fields: Any) -> Trace:
    (trace,) = traces_of([line(rollout(**fields))])
    return trace


def test_a_rollout_is_a_trace_with_its_calls_and_tools() -> None:
    trace = only()

    assert [m.role for m in trace.messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert trace.messages[2].tool_calls[0].parsed() == {"order_id": 1}
    assert [tool.name for tool in trace.tools] == ["refund_order"]
    assert (trace.id, trace.agent, trace.task, trace.model.name) == ("r1", "solver", "task-1", "m1")
    assert (trace.dialect, trace.outcome.reward, trace.outcome.error) == ("verifiers", 1.0, None)
    assert trace.started_at is not None
    assert trace.ended_at is not None
    assert (trace.ended_at - trace.started_at).total_seconds() == 3.0


def test_each_model_call_is_a_step_and_cached_tokens_count() -> None:
    steps = only().steps

    assert [(s.message, s.prompt_tokens, s.completion_tokens, s.finish_reason) for s in steps] == [
        (2, 10, 5, "tool"),
        (4, 20, 2, "stop"),
    ]


@pytest.mark.parametrize(
    ("rewards", "expected"),
    [
        ({"a": {"score": 1.0, "weight": 1.0}, "b": {"score": 0.0, "weight": 1.0}}, 0.5),
        ({"a": {"score": 0.5, "weight": 0.5}, "b": {"score": 1.0, "weight": 0.5}}, 0.75),
        ({"a": {"score": 1.0}, "penalty": {"score": 1.0, "weight": -0.25}}, 0.75),
        ({"a": {"score": -3.0, "weight": 1.0}}, 0.0),
        ({"a": {"score": 1.0, "weight": 1.0}, "b": None}, None),
        ({"metric": {"score": 1.0, "weight": 0.0}}, None),
        ({}, None),
    ],
)
def test_the_reward_is_the_share_of_what_the_weights_allow(
    rewards: dict[str, Any], expected: float | None
) -> None:
    assert only(rewards=rewards).outcome.reward == expected


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        (
            {"ok": False, "errors": [{"type": "ProviderError", "message": "503"}]},
            "ProviderError: 503",
        ),
        ({"ok": False, "is_timeout": True}, "timeout"),
        ({"ok": False}, "the rollout did not complete"),
        ({"ok": True, "errors": [{"type": "ProviderError", "message": "503"}]}, None),
    ],
)
def test_a_rollout_that_did_not_end_well_says_what_failed(
    fields: dict[str, Any], error: str | None
) -> None:
    outcome = only(**fields).outcome

    assert (outcome.error, outcome.reward) == (error, None if error else 1.0)


def test_a_rollout_cut_at_its_token_limit_says_so() -> None:
    calls = [*rollout()["calls"][:1], call(4, "length", prompt_tokens=20, completion_tokens=2)]

    assert only(calls=calls).is_truncated
    assert not only().is_truncated


def test_each_path_to_a_leaf_is_a_trace() -> None:
    nodes = [*rollout()["nodes"], node(1, {"role": "assistant", "content": "Which one?"})]

    traces = traces_of([line(rollout(nodes=nodes))])

    assert [(trace.id, trace.messages[-1].content) for trace in traces] == [
        ("r1-0", "Done."),
        ("r1-1", "Which one?"),
    ]


def test_each_agent_of_an_episode_is_a_trace() -> None:
    assert [t.id for t in traces_of([line(rollout(), rollout(id="r2"))])] == ["r1", "r2"]


def test_a_rollout_that_ended_before_its_first_message_is_counted() -> None:
    decoded = decode_value(line(rollout(nodes=[], calls=[], ok=False)))

    assert (decoded.decoder, decoded.episodes, decoded.ignored) == ("verifiers", [], 1)


@pytest.mark.parametrize(
    "nodes", [None, [{}], [{"parent": 0, "message": {}}], [{"parent": "x"}], 7]
)
def test_a_broken_rollout_is_a_reject_and_spares_the_others(nodes: Any) -> None:
    decoded = decode_value(line(rollout(nodes=nodes), rollout(id="r2")))

    assert [episode.trace.id for episode in decoded.episodes] == ["r2"]
    assert [reject.path for reject in decoded.rejects] == ["traces[0]"]
