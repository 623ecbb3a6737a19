"""Langfuse's observations and LangSmith's runs: what they say beside the messages."""

from typing import Any

import orjson
import pytest

from tests.ingest.reading import traces_of
from tracemill.ingest.trace import Trace

ASKED = {"role": "user", "content": "Where is A17?"}
ANSWER = {"role": "assistant", "content": "It shipped."}


def only(record: dict[str, Any]) -> Trace:
    (trace,) = traces_of([orjson.dumps(record)])
    return trace


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


@pytest.mark.parametrize(
    ("details", "cost"),
    [({"input": 0.25, "output": 0.5, "total": 0.75}, 0.75), ({"input": 0.25, "output": 0.5}, 0.75), ({}, None)],
)  # fmt: skip
def test_langfuses_costs_add_up(details: dict[str, float], cost: float | None) -> None:
    call = {
        "id": "o1", "type": "GENERATION", "startTime": "2026-01-05T10:00:00Z", "costDetails": details,
        "input": [ASKED], "output": ANSWER,
    }  # fmt: skip

    (step,) = only({"trace": {"id": "t1"}, "observations": [call]}).steps

    assert step.cost_usd == cost


def test_tools_in_langfuses_own_column_are_those_that_were_offered() -> None:
    spec = '{"description": "Finds.", "parameters": {"type": "object"}}'
    call = {
        "id": "o1", "type": "GENERATION", "startTime": "2026-01-05T10:00:00Z",
        "input": [ASKED], "output": ANSWER, "toolDefinitions": {"find": spec},
    }  # fmt: skip

    (tool,) = only({"trace": {"id": "t1"}, "observations": [call]}).tools

    assert (tool.name, tool.description) == ("find", "Finds.")


USED = {"input_tokens": 7, "output_tokens": 8}


@pytest.mark.parametrize(
    "fields",
    [
        {"outputs": {"message": ANSWER, "usage_metadata": USED}},
        {"outputs": {"message": ANSWER}, "extra": {"metadata": {"usage_metadata": USED}}},
        {"outputs": {"generations": [[{"message": {"kwargs": {**ANSWER, "usage_metadata": USED}, "id": ["AIMessage"]}}]]}},
        {"outputs": {"generations": [[{"message": ANSWER}]],
                     "llm_output": {"token_usage": {"prompt_tokens": 7, "completion_tokens": 8}}}},
        {"outputs": {"message": ANSWER}, "prompt_tokens": 7, "completion_tokens": 8},
    ],
)  # fmt: skip
def test_langsmiths_usage_is_found_wherever_its_writer_keeps_it(fields: dict[str, Any]) -> None:
    run = {
        "id": "r1", "trace_id": "r1", "run_type": "llm", "name": "ChatOpenAI", "total_cost": "0.5",
        "start_time": "2026-01-05T10:00:00Z", "inputs": {"messages": [ASKED]}, **fields,
    }  # fmt: skip

    (step,) = only({"post": [run]}).steps

    assert (step.prompt_tokens, step.completion_tokens, step.cost_usd) == (7, 8, 0.5)
