"""The conversation as the conventions of OTLP attributes write it."""

from typing import Any

import orjson

from tests.ingest.conversation import (
    ARGUMENTS,
    FIRST,
    MODEL,
    OPENAI_MESSAGES,
    OPENAI_TOOL,
    RESULT,
    SCHEMA,
    SECOND,
    SYSTEM,
    TRACE,
    USAGE,
    dumps,
    genai_parts,
    number,
    spans_of,
)
from tests.ingest.samples import START, attributes, otlp, span, text


def genai_c() -> list[bytes]:
    def call(turn: int) -> dict[str, Any]:
        upto = 2 + 2 * turn
        asked = [genai_parts(m) for m in OPENAI_MESSAGES[1:upto]]
        return {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "gpt-4o",
            "gen_ai.response.model": MODEL,
            "gen_ai.response.finish_reasons": [("tool_calls", "stop")[turn]],
            "gen_ai.usage.input_tokens": USAGE[turn][0],
            "gen_ai.usage.output_tokens": USAGE[turn][1],
            "gen_ai.system_instructions": dumps([{"type": "text", "content": SYSTEM}]),
            "gen_ai.input.messages": dumps(asked),
            "gen_ai.output.messages": dumps([genai_parts(OPENAI_MESSAGES[upto])]),
            "gen_ai.tool.definitions": dumps([OPENAI_TOOL["function"]]),
        }

    root = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "shop",
        "gen_ai.usage.input_tokens": 151,
    }
    tool = {
        "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "get_order",
        "gen_ai.tool.call.id": "call_9f", "gen_ai.tool.call.result": RESULT,
    }  # fmt: skip
    return spans_of(root, call(0), tool, call(1))


def log(span_id: str, name: str, time: float, body: dict[str, Any]) -> dict[str, Any]:
    return {
        "traceId": TRACE,
        "spanId": span_id,
        "observedTimeUnixNano": str(START + int(time * 1e9)),
        "eventName": name,
        "body": kvlist(body),
    }


def kvlist(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return {
            "kvlistValue": {"values": [{"key": k, "value": kvlist(v)} for k, v in value.items()]}
        }
    if isinstance(value, list):
        return {"arrayValue": {"values": [kvlist(item) for item in value]}}
    return number(value) if isinstance(value, int) else text(value)


def genai_b_logs() -> list[bytes]:
    """Content in log records (another topic), which may come before the spans."""
    records = []
    for span_id, upto in ((FIRST, 2), (SECOND, 4)):
        for index, message in enumerate(OPENAI_MESSAGES[:upto]):
            body = {
                key: value for key, value in message.items() if value is not None and key != "role"
            }
            if message["role"] == "tool":
                body = {"content": RESULT, "id": "call_9f"}
            records.append(log(span_id, f"gen_ai.{message['role']}.message", 1 + index / 100, body))
        said = {k: v for k, v in OPENAI_MESSAGES[upto].items() if v is not None and k != "role"}
        records.append(
            log(
                span_id,
                "gen_ai.choice",
                1.5,
                {"index": 0, "finish_reason": "stop", "message": said},
            )
        )
    logs = orjson.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]})
    chat = {"gen_ai.operation.name": "chat", "gen_ai.response.model": MODEL}
    tool = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "get_order",
        "gen_ai.tool.call.id": "call_9f",
    }
    calls = [
        {**chat, "gen_ai.usage.input_tokens": used, "gen_ai.usage.output_tokens": made}
        for used, made in USAGE
    ]
    return [logs, *spans_of({"gen_ai.operation.name": "invoke_agent"}, calls[0], tool, calls[1])]


def genai_a() -> list[bytes]:
    """Content in span events, as JSON of OpenAI messages."""
    value = []
    for span_id, begin, upto, (used, made) in ((FIRST, 1, 2, USAGE[0]), (SECOND, 3, 4, USAGE[1])):
        events = [
            {
                "name": "gen_ai.content.prompt",
                "attributes": attributes(gen_ai__prompt=dumps(OPENAI_MESSAGES[:upto])),
            },
            {
                "name": "gen_ai.content.completion",
                "attributes": attributes(gen_ai__completion=dumps([OPENAI_MESSAGES[upto]])),
            },
        ]
        named = attributes(
            gen_ai__operation__name="chat",
            gen_ai__request__model=MODEL,
            gen_ai__usage__prompt_tokens=number(used),
            gen_ai__usage__completion_tokens=number(made),
        )
        parent = {} if span_id == FIRST else {"parentSpanId": FIRST}
        value.append(
            span(TRACE, span_id, begin, begin + 1, attributes=named, events=events, **parent)
        )
    return [otlp(value[0], {**value[1], "parentSpanId": ""})]


def openinference() -> list[bytes]:
    def flat(messages: list[dict[str, Any]], side: str) -> dict[str, Any]:
        named: dict[str, Any] = {}
        for index, message in enumerate(messages):
            start = f"llm.{side}_messages.{index}.message"
            named[f"{start}.role"] = message["role"]
            if message["role"] == "user":
                named[f"{start}.contents.0.message_content.type"] = "text"
                named[f"{start}.contents.0.message_content.text"] = message["content"]
            elif message["content"] is not None:
                named[f"{start}.content"] = message["content"]
            if message.get("tool_calls"):
                call = f"{start}.tool_calls.0.tool_call"
                named[f"{call}.id"] = "call_9f"
                named[f"{call}.function.name"] = "get_order"
                named[f"{call}.function.arguments"] = ARGUMENTS
            if message["role"] == "tool":
                named[f"{start}.tool_call_id"] = "call_9f"
        return named

    def call(turn: int) -> dict[str, Any]:
        upto = 2 + 2 * turn
        return {
            "openinference.span.kind": "LLM",
            "llm.model_name": MODEL,
            "llm.token_count.prompt": USAGE[turn][0],
            "llm.token_count.completion": USAGE[turn][1],
            "llm.tools.0.tool.json_schema": dumps(OPENAI_TOOL),
            **flat(OPENAI_MESSAGES[:upto], "input"),
            **flat([OPENAI_MESSAGES[upto]], "output"),
        }

    tool = {"openinference.span.kind": "TOOL", "tool.name": "get_order", "tool.id": "call_9f"}
    return spans_of({"openinference.span.kind": "AGENT"}, call(0), tool, call(1))


def openllmetry() -> list[bytes]:
    def flat(messages: list[dict[str, Any]], side: str) -> dict[str, Any]:
        named: dict[str, Any] = {}
        for index, message in enumerate(messages):
            start = f"gen_ai.{side}.{index}"
            named[f"{start}.role"] = message["role"]
            if message["role"] == "user":
                named[f"{start}.content"] = '[{"type": "text", "text": "Where is A17?"}]'
            elif message["content"] is not None:
                named[f"{start}.content"] = message["content"]
            if message.get("tool_calls"):
                named[f"{start}.tool_calls.0.id"] = "call_9f"
                named[f"{start}.tool_calls.0.name"] = "get_order"
                named[f"{start}.tool_calls.0.arguments"] = ARGUMENTS
            if message["role"] == "tool":
                named[f"{start}.tool_call_id"] = "call_9f"
        return named

    def call(turn: int) -> dict[str, Any]:
        upto = 2 + 2 * turn
        return {
            "llm.request.type": "chat",
            "gen_ai.system": "OpenAI",
            "gen_ai.response.model": MODEL,
            "gen_ai.usage.prompt_tokens": USAGE[turn][0],
            "gen_ai.usage.completion_tokens": USAGE[turn][1],
            "llm.request.functions.0.name": "get_order",
            "llm.request.functions.0.description": "Finds an order.",
            "llm.request.functions.0.parameters": dumps(SCHEMA),
            **flat(OPENAI_MESSAGES[:upto], "prompt"),
            **flat([OPENAI_MESSAGES[upto]], "completion"),
        }

    workflow = {"traceloop.span.kind": "workflow", "traceloop.entity.name": "shop"}
    tool = {
        "traceloop.span.kind": "tool",
        "traceloop.entity.name": "get_order",
        "traceloop.entity.output": RESULT,
    }
    return spans_of(workflow, call(0), tool, call(1))


def langfuse_otlp() -> list[bytes]:
    def call(turn: int) -> dict[str, Any]:
        upto = 2 + 2 * turn
        return {
            "langfuse.observation.type": "generation",
            "langfuse.observation.model.name": MODEL,
            "langfuse.observation.usage_details": dumps(
                {"input": USAGE[turn][0], "output": USAGE[turn][1]}
            ),
            "langfuse.observation.input": dumps(
                {"messages": OPENAI_MESSAGES[:upto], "tools": [OPENAI_TOOL]}
            ),
            "langfuse.observation.output": dumps(OPENAI_MESSAGES[upto]),
        }

    tool = {"langfuse.observation.type": "tool", "langfuse.observation.output": RESULT}
    return spans_of({"langfuse.observation.type": "agent"}, call(0), tool, call(1))
