"""Logs of whole conversations: what they say beside the messages."""

from typing import Any

import orjson
import pytest

from tests.ingest.reading import traces_of
from tracemill.ingest.mapping import FieldMapping
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


@pytest.mark.parametrize(
    ("details", "tokens"),
    [
        ({"input": 10, "output": 5, "total": 15}, (10, 5)),
        ({"input": 10, "output": 5, "output_reasoning": 64, "total": 79}, (10, 69)),
        ({"input": 10, "input_cache_read": 90, "output": 5, "total": 105}, (100, 5)),
        ({"input": 100, "input_cache_read": 90, "output": 5, "total": 105}, (100, 5)),
        ({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}, (10, 5)),
        ({"promptTokens": 10, "completionTokens": 5}, (10, 5)),
        ({"input": 10, "total": 10}, (10, None)),
        ({}, (7, 8)),
    ],
)
def test_langfuses_usage_counts_cached_and_reasoned_tokens_once(
    details: dict[str, int], tokens: tuple[int | None, int | None]
) -> None:
    """Without details the original span's own count stands."""
    original = {"gen_ai.usage.input_tokens": "7", "gen_ai.usage.output_tokens": "8"}
    call = {
        "id": "o1", "type": "GENERATION", "startTime": "2026-01-05T10:00:00Z", "usageDetails": details,
        "input": [ASKED], "output": ANSWER, "metadata": {"attributes": original},
    }  # fmt: skip

    (step,) = only({"trace": {"id": "t1"}, "observations": [call]}).steps

    assert (step.prompt_tokens, step.completion_tokens) == tokens
