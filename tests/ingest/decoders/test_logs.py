"""Logs of whole conversations: what they say beside the messages."""

from typing import Any

import orjson
import pytest

from tests.ingest.reading import decode_value, traces_of
from tracemill.ingest.mapping import FieldMapping, TurnMapping
from tracemill.ingest.options import TopicOptions
from tracemill.ingest.trace import Trace

ASKED = {"role": "user", "content": "Where is A17?"}
ANSWER = {"role": "assistant", "content": "It shipped."}


def only(record: dict[str, Any], topic: TopicOptions | None = None) -> Trace:
    (trace,) = traces_of([orjson.dumps(record)], topic)
    return trace


def test_each_messages_own_usage_makes_a_step() -> None:
    answer = {
        **ANSWER,
        "usage": {"prompt_tokens": 9, "completion_tokens": 3},
        "cost": 0.25,
        "timestamp": "2026-01-05T10:00:00",
        "finish_reason": "stop",
    }
    mapped = TopicOptions(mapping=FieldMapping(messages="turns"))

    for trace in (
        only({"turns": [ASKED, answer]}, mapped),
        only({"messages": [ASKED, answer]}),
    ):
        (step,) = trace.steps
        assert (step.message, step.prompt_tokens, step.completion_tokens) == (1, 9, 3)
        assert (step.cost_usd, step.finish_reason) == (0.25, "stop")
        assert step.ended_at is not None


def test_usage_of_messages_that_do_not_stand_one_for_one_is_given_to_none() -> None:
    used = {"role": "user", "content": "?", "usage": {"prompt_tokens": 9}}

    assert only({"system": "Be kind.", "messages": [ASKED, ANSWER]}).steps == ()
    assert only({"messages": [used, ANSWER]}).steps == ()


def test_the_cost_beside_a_response_is_its_calls() -> None:
    response = {
        "choices": [{"message": ANSWER, "finish_reason": "length"}],
        "usage": {"prompt_tokens": 9},
    }

    trace = only({"messages": [ASKED], "response": response, "cost": 0.5})

    assert [(step.message, step.cost_usd) for step in trace.steps] == [(1, 0.5)]
    assert trace.is_truncated


TURNS = TurnMapping(
    request="query", actions="did", observations="saw", tool="python", argument="code"
)


def test_lists_of_actions_and_observations_are_calls_and_results() -> None:
    record = {"query": "Add 1.", "did": ["x", "y"], "saw": ["{'error': ''}"]}

    trace = only(record, TopicOptions(mapping=FieldMapping(turns=TURNS)))

    assert [m.role for m in trace.messages] == ["user", "assistant", "tool", "assistant"]
    assert [m.tool_calls[0].parsed() for m in trace.messages if m.tool_calls] == [
        {"code": "x"},
        {"code": "y"},
    ]
    assert trace.messages[2].tool_call_id == trace.messages[1].tool_calls[0].id


def test_actions_without_a_tool_were_said() -> None:
    record = {"did": ["x"], "saw": ["no"]}
    turns = TurnMapping(actions="did", observations="saw")

    trace = only(record, TopicOptions(mapping=FieldMapping(turns=turns)))

    assert [(m.role, m.content) for m in trace.messages] == [("assistant", "x"), ("user", "no")]


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"did": ["x"], "saw": ["1", "2"]}, "2 observations at 'saw' of 1 actions"),
        ({"did": "x"}, "'did' is no list, but str"),
        ({"done": ["x"]}, "no messages at 'did'"),
    ],
)
def test_lists_that_do_not_fit_are_refused_with_the_reason(
    record: dict[str, Any], reason: str
) -> None:
    topic = TopicOptions(mapping=FieldMapping(turns=TURNS))

    (reject,) = decode_value(orjson.dumps(record), topic).rejects

    assert (reject.reject_class, reject.reason) == ("invalid", reason)


def test_episodes_may_be_an_object_and_share_what_stands_around_them() -> None:
    record = {"0": {"talk": [ASKED]}, "1": {"talk": [ASKED, ANSWER], "llm": "own"}}
    whole = FieldMapping(records="*", messages="talk", model="llm")
    around = FieldMapping(records="runs", messages="talk", model="^.head.llm")

    found = traces_of([orjson.dumps(record)], TopicOptions(mapping=whole))
    listed = {"head": {"llm": "m1"}, "runs": list(record.values())}
    shared = traces_of([orjson.dumps(listed)], TopicOptions(mapping=around))

    assert [trace.model.name for trace in found] == ["unknown", "own"]
    assert [trace.model.name for trace in shared] == ["m1", "m1"]


def test_tries_of_one_task_are_a_trace_each_though_they_share_ids_and_words() -> None:
    rollouts = [
        {
            "id": "scenario-7",
            "responses_create_params": {"input": [ASKED], "metadata": {"instance_id": "fix-git"}},
            "response": {"id": "fix-git", "object": "response", "output": [{"type": "message", **ANSWER}]},
            "reward": reward,
            "agent_ref": {"name": "coder"},
            "_ng_rollout_index": index,
        }
        for index, reward in enumerate((0.0, 1.0, 1.0))
    ]  # fmt: skip

    traces = traces_of([orjson.dumps(rollout) for rollout in rollouts])

    assert len({trace.id for trace in traces}) == 3
    assert {(trace.task, trace.agent) for trace in traces} == {("fix-git", "coder")}


@pytest.mark.parametrize(
    ("failed", "error"),
    [
        ({"mask_sample": True}, "the harness masked this sample"),
        ({"error_kind": "container died", "mask_sample": True}, "container died"),
        ({"evaluation_error": "judge timed out"}, "judge timed out"),
        ({"mask_sample": False, "error_kind": None, "agent_timed_out": True}, None),
    ],
)
def test_a_rollout_whose_reward_means_nothing_says_why(
    failed: dict[str, Any], error: str | None
) -> None:
    response = {"object": "response", "output": [{"type": "message", **ANSWER}]}
    rollout = {"responses_create_params": {"input": [ASKED]}, "response": response, "reward": 0}

    assert only({**rollout, **failed}).outcome.error == error
