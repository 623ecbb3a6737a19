"""Why a model stopped, from wherever it stands."""

from typing import Any

import pytest

from tests.ingest.conversation import dumps
from tracemill.ingest.finish import finish_of
from tracemill.ingest.span import Span, SpanEvent

CHUNK = {"index": 0, "delta": {}, "finish_reason": "length"}


def span(**named: Any) -> Span:
    attributes = {name.replace("__", "."): value for name, value in named.items()}
    return Span("t", "s", attributes=attributes)


@pytest.mark.parametrize(
    ("named", "reason"),
    [
        ({"gen_ai__response__finish_reasons": ["tool_calls"]}, "tool"),
        ({"gen_ai__response__finish_reasons": '["length"]'}, "length"),
        ({"llm__finish_reason": "end_turn"}, "stop"),
        ({"ai__response__finishReason": "content-filter"}, "refused"),
        ({"gen_ai__completion__0__finish_reason": "stop"}, "stop"),
        ({"gen_ai__output__messages": dumps([{"finish_reason": "tool_call"}])}, "tool"),
        ({"mlflow__spanOutputs": dumps({"stop_reason": "max_tokens"})}, "length"),
        ({"langsmith__outputs": {"choices": [{"finish_reason": CHUNK}]}}, "length"),
        (
            {"langsmith__outputs": {
                "generations": [[{"message": {"kwargs": {
                    "response_metadata": {"finish_reason": "tool_calls"}}}}]]}},
            "tool",
        ),
        ({"gcp__vertex__agent__llm_response": dumps({"finish_reason": "STOP"})}, "stop"),
        ({"langfuse__observation__output": "It stopped: finish_reason length"}, "unknown"),
        ({}, "unknown"),
    ],
)  # fmt: skip
def test_the_reason_is_read_from_the_attribute_that_says_it(
    named: dict[str, Any], reason: str
) -> None:
    assert finish_of(span(**named)) == reason


def test_a_choice_event_says_why() -> None:
    event = SpanEvent("gen_ai.choice", 1, {}, {"index": 0, "finish_reason": "length"})

    assert finish_of(Span("t", "s", events=[event])) == "length"


@pytest.mark.parametrize(
    ("output", "more", "reason"),
    [
        ([{"type": "function_call"}], {"status": "completed"}, "tool"),
        ([{"type": "message"}], {"status": "completed"}, "stop"),
        ([], {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, "length"),
    ],
)  # fmt: skip
def test_a_response_that_ends_in_a_call_stopped_for_its_tool(
    output: list[Any], more: dict[str, Any], reason: str
) -> None:
    response = {"object": "response", "output": output, **more}

    assert finish_of(span(langfuse__observation__output=dumps(response))) == reason


def test_an_answer_nested_without_end_says_nothing() -> None:
    answer: Any = {"finish_reason": "stop"}
    for _ in range(50):
        answer = {"message": answer}

    assert finish_of(span(langsmith__outputs=answer)) == "unknown"
