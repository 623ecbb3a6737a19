"""Messages are read from any JSON that means a conversation."""

from typing import Any

import pytest

from tracemill.ingest.envelopes import tools_in
from tracemill.ingest.finish import finish_reason
from tracemill.ingest.linking import link_results
from tracemill.ingest.messages import read_messages
from tracemill.ingest.times import read_time
from tracemill.ingest.tools import read_tools
from tracemill.ingest.trace import Message, ToolCall

CALL = ToolCall(id="c1", name="find", arguments='{"a":1}')


@pytest.mark.parametrize(
    "raw",
    [
        {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "find", "arguments": '{"a":1}'}}]},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "name": "find", "args": {"a": 1}}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "find", "input": {"a": 1}}]},
        {"role": "model", "parts": [{"functionCall": {"id": "c1", "name": "find", "args": {"a": 1}}}]},
        {"type": "function_call", "call_id": "c1", "id": "fc", "name": "find", "arguments": '{"a":1}'},
        [{"toolCallId": "c1", "toolName": "find", "input": '{"a":1}'}],
        {"lc": 1, "type": "constructor", "id": ["langchain", "AIMessage"],
         "kwargs": {"content": "", "tool_calls": [{"id": "c1", "name": "find", "args": {"a": 1}}]}},
        {"type": "ai", "data": {"content": "", "tool_calls": [{"id": "c1", "name": "find", "args": {"a": 1}}]}},
        {"role": "assistant", "content": "", "additional_kwargs":
         {"tool_calls": [{"id": "c1", "function": {"name": "find", "arguments": '{"a":1}'}}]}},
        {"choices": [{"message": {"role": "assistant", "content": None,
                                  "tool_calls": [{"id": "c1", "function": {"name": "find", "arguments": '{"a":1}'}}]}}]},
        {"generations": [[{"message": {"role": "assistant", "content": "",
                                       "tool_calls": [{"id": "c1", "name": "find", "args": {"a": 1}}]}}]]},
        {"role": "assistant", "content": "",
         "additional_kwargs": {"function_call": {"name": "find", "arguments": '{"a":1}'}},
         "tool_calls": [{"id": "c1", "name": "find", "args": {"a": 1}, "type": "tool_call"}]},
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "c1", "name": "find", "input": {"a": 1}}}]},
        {"output": {"message": {"role": "assistant", "content": [
            {"toolUse": {"toolUseId": "c1", "name": "find", "input": {"a": 1}}}]}},
         "stopReason": "tool_use", "usage": {"inputTokens": 1}},
        {"candidates": [{"content": {"role": "model", "parts": [
            {"functionCall": {"id": "c1", "name": "find", "args": {"a": 1}}}]}, "finishReason": "STOP"}]},
        {"role": "MessageRole.ASSISTANT", "blocks": [
            {"block_type": "tool_call", "tool_call_id": "c1", "tool_name": "find", "tool_kwargs": {"a": 1}}]},
    ],
)  # fmt: skip
def test_a_call_is_the_same_in_every_form(raw: Any) -> None:
    assert read_messages(raw, role="assistant") == (Message(role="assistant", tool_calls=(CALL,)),)


@pytest.mark.parametrize(
    "raw",
    [
        {"role": "tool", "tool_call_id": "c1", "content": "ok", "is_error": True},
        {"role": "tool", "id": "c1", "content": "ok", "error": True},
        {"role": "tool", "tool_call_id": "c1", "content": "ok", "status": "error"},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "ok", "is_error": True}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1",
                                      "content": [{"type": "text", "text": "ok"}], "is_error": True}]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "result": "ok", "is_error": True}]},
    ],
)  # fmt: skip
def test_a_result_is_the_same_in_every_form(raw: Any) -> None:
    (message,) = read_messages(raw)

    assert message == Message(role="tool", content="ok", tool_call_id="c1", is_error=True)


def test_several_calls_of_one_turn_stay_together() -> None:
    items: list[Any] = [
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Looking."}],
        },
        {"type": "function_call", "call_id": "c1", "name": "find", "arguments": "{}"},
        {"type": "function_call", "call_id": "c2", "name": "find", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "1"},
    ]

    turn, result = read_messages(items)

    assert turn.content == "Looking."
    assert [call.id for call in turn.tool_calls] == ["c1", "c2"]
    assert result.tool_call_id == "c1"


def test_reasoning_is_left_out_and_other_parts_leave_their_type() -> None:
    parts: list[Any] = [
        {"type": "reasoning", "content": "hm"},
        {"type": "image_url", "image_url": {}},
        {"type": "text", "text": "ok"},
    ]

    (message,) = read_messages([{"role": "user", "content": parts}])

    assert message.content == "[image_url]\nok"


def test_a_written_down_conversation_is_taken_apart() -> None:
    messages = read_messages("system: Be kind.\nuser: Hi\nyou")

    assert [(m.role, m.content) for m in messages] == [("system", "Be kind."), ("user", "Hi\nyou")]


def test_results_without_ids_are_joined_by_name_and_order() -> None:
    calls = (ToolCall(id="", name="a", arguments="{}"), ToolCall(id="", name="b", arguments="{}"))
    talk = [
        Message(role="assistant", tool_calls=calls),
        Message(role="tool", content="of b", name="b"),
        Message(role="tool", content="of a"),
    ]

    turn, of_b, of_a = link_results(talk)

    assert [call.id for call in turn.tool_calls] == ["call_0_0", "call_0_1"]
    assert (of_b.tool_call_id, of_a.tool_call_id, of_a.name) == ("call_0_1", "call_0_0", "a")


def test_tools_are_the_same_in_every_form() -> None:
    schema = {"type": "object", "properties": {}}
    forms: list[Any] = [
        [{"type": "function", "function": {"name": "f", "description": "d", "parameters": schema}}],
        [{"type": "function", "name": "f", "description": "d", "parameters": schema}],
        [{"name": "f", "description": "d", "input_schema": schema}],
        {"f": {"description": "d", "inputSchema": {"jsonSchema": schema}}},
        [{"function_declarations": [{"name": "f", "description": "d", "parameters": schema}]}],
    ]

    assert len({read_tools(form)[0].to_json() for form in forms}) == 1
    assert tools_in({"messages": [], "tools": forms[0]}) == read_tools(forms[0])
    assert read_tools('[{"name": "cut') == ()


@pytest.mark.parametrize(
    ("raw", "reason"),
    [("end_turn", "stop"), ("STOP", "stop"), ("tool_calls", "tool"), ("max_tokens", "length"),
     ("content_filter", "refused"), ("odd", "unknown"), (None, "unknown")],
)  # fmt: skip
def test_reasons_to_stop_have_one_vocabulary(raw: str | None, reason: str) -> None:
    assert finish_reason(raw) == reason


@pytest.mark.parametrize(
    "value",
    ["2026-01-05T10:00:00Z", "2026-01-05T11:00:00+01:00", "2026-01-05 10:00:00", 1767607200,
     1767607200000, "1767607200000000000", 1767607200.0],
)  # fmt: skip
def test_times_are_the_same_in_every_form(value: object) -> None:
    time = read_time(value)

    assert time is not None
    assert time.isoformat() == "2026-01-05T10:00:00+00:00"


@pytest.mark.parametrize(
    ("fields", "content", "is_error"),
    [
        ({"content": "", "error": "ValueError: no such file"}, "ValueError: no such file", True),
        ({"content": None, "error": {"code": 5}}, '{"code":5}', True),
        ({"content": "half of it", "error": "cut off"}, "half of it", True),
        ({"content": "done", "error": None}, "done", None),
        ({"content": "done", "error": ""}, "done", None),
        ({"content": "done", "error": False}, "done", False),
    ],
)
def test_a_result_says_what_went_wrong_where_its_error_stands_beside_it(
    fields: dict[str, Any], content: str, is_error: bool | None
) -> None:
    """AgentDojo's tools; the agent was shown the error."""
    (message,) = read_messages([{"role": "tool", "tool_call_id": "c1", **fields}])

    assert (message.content, message.is_error) == (content, is_error)


def test_a_result_with_an_empty_id_is_of_the_first_call_that_waits() -> None:
    calls: list[Any] = [
        {"id": "", "function": {"name": name, "arguments": "{}"}} for name in ("a", "b")
    ]
    results: list[Any] = [
        {"role": "tool", "tool_call_id": "", "content": text} for text in ("1", "2")
    ]

    linked = link_results(
        read_messages([{"role": "assistant", "content": None, "tool_calls": calls}, *results])
    )

    assert [m.tool_call_id for m in linked[1:]] == [c.id for c in linked[0].tool_calls]


@pytest.mark.parametrize(
    "raw",
    [
        {"model": "m", "contents": "hi"},
        {"model": "m", "contents": ["hi"]},
        {"contents": [{"text": "hi"}]},
        {"messages": [{"role": "user", "blocks": [{"block_type": "text", "text": "hi"}]}]},
        {"messages": [{"role": "user", "content": [{"text": "hi"}]}], "toolConfig": {"tools": []}},
    ],
)
def test_a_question_is_the_same_in_every_form(raw: Any) -> None:
    assert read_messages(raw) == (Message(role="user", content="hi"),)


def test_bedrocks_results_say_whether_they_failed_and_its_tools_are_read() -> None:
    result: Any = {"toolUseId": "c1", "content": [{"text": "gone"}], "status": "error"}
    schema = {"type": "object"}
    spec = {"name": "find", "description": "Finds.", "inputSchema": {"json": schema}}

    (message,) = read_messages([{"role": "user", "content": [{"toolResult": result}]}])
    (tool,) = tools_in({"toolConfig": {"tools": [{"toolSpec": spec}]}})

    assert message == Message(role="tool", content="gone", tool_call_id="c1", is_error=True)
    assert (tool.name, tool.parameters) == ("find", schema)
