"""Recorded traces of others come out as they should, message by message."""

from pathlib import Path

import orjson
import pytest

from tests.ingest.real import GOLDEN, SETS, read, rejects_of, summary, values_of


@pytest.mark.parametrize("name", SETS)
def test_recorded_traces_are_read_whole(name: str, real_traces: Path) -> None:
    expected = orjson.loads(GOLDEN.read_bytes())[name]

    assert summary(read(real_traces, name)) == expected


def test_nothing_of_them_is_rejected(real_traces: Path) -> None:
    assert {name: rejects_of(real_traces, name) for name in SETS if name != "langfuse"} == {
        name: [] for name in SETS if name != "langfuse"
    }


def test_the_claude_agents_trace_is_rebuilt_though_its_calls_repeat_no_history(
    real_traces: Path,
) -> None:
    (trace,) = [
        t for t in read(real_traces, "langfuse") if t.id == "097f1d8982fa909b8cffb14a166ec272"
    ]

    assert [m.role for m in trace.messages] == [
        "system", "user", "assistant", "assistant", "tool", "assistant", "tool", "assistant",
    ]  # fmt: skip
    assert [m.content for m in trace.messages if m.role == "tool"] == [
        "Weather in Berlin: Cloudy, 59°F",
        "Weather in New York: Sunny, 75°F",
    ]
    assert [step.completion_tokens for step in trace.steps] == [29, 53, 56, 94]


def test_a_tool_named_as_a_role_is_a_tools_result(real_traces: Path) -> None:
    (trace,) = [
        t for t in read(real_traces, "langfuse") if t.id == "2c1581dd9cecdafb6ca091b83d7ea99a"
    ]

    assert [m.role for m in trace.messages] == ["user", "assistant", "tool", "assistant"]
    assert trace.messages[2].tool_call_id == trace.messages[1].tool_calls[0].id


def test_rollouts_of_nemo_gym_come_with_the_rewards_of_their_files(real_traces: Path) -> None:
    rollouts = [orjson.loads(value) for value in values_of(real_traces, "nemo-gym")]

    found = [trace.outcome.reward for trace in read(real_traces, "nemo-gym")]

    assert found == [min(1.0, max(0.0, rollout["reward"])) for rollout in rollouts]


def test_rollouts_whose_trace_was_not_captured_say_that_they_have_no_content(
    real_traces: Path,
) -> None:
    openclaw = [t for t in read(real_traces, "nemo-gym") if not t.has_content]

    assert len(openclaw) == 5
