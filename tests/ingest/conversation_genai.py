"""The conversation in the GenAI conventions, in their three generations."""

from typing import Any

import orjson

from tests.ingest.conversation import (
    AGENT,
    FINISH,
    FIRST,
    MODEL,
    OPENAI_MESSAGES,
    OPENAI_TOOL,
    RESULT,
    ROOT,
    SECOND,
    SESSION,
    SYSTEM,
    TENANT,
    TOOL,
    TRACE,
    USAGE,
    USER,
    dumps,
    genai_parts,
    listed,
    number,
    spans_of,
)
from tests.ingest.samples import START, attributes, otlp, span, text

WHO = {"user.id": USER, "tenant.id": TENANT}
AGENT_SPAN = {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": AGENT,
    "gen_ai.conversation.id": SESSION,
    "gen_ai.usage.input_tokens": 151,
    **WHO,
}
TOOL_SPAN = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "get_order",
    "gen_ai.tool.call.id": "call_9f",
}


def generation_c(turn: int) -> dict[str, Any]:
    upto = 2 + 2 * turn
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "gpt-4o",
        "gen_ai.response.model": MODEL,
        "gen_ai.response.finish_reasons": [FINISH[turn]],
        "gen_ai.usage.input_tokens": USAGE[turn][0],
        "gen_ai.usage.output_tokens": USAGE[turn][1],
        "gen_ai.system_instructions": dumps([{"type": "text", "content": SYSTEM}]),
        "gen_ai.input.messages": dumps([genai_parts(m) for m in OPENAI_MESSAGES[1:upto]]),
        "gen_ai.output.messages": dumps([genai_parts(OPENAI_MESSAGES[upto])]),
        "gen_ai.tool.definitions": dumps([OPENAI_TOOL["function"]]),
    }


def genai_c() -> list[bytes]:
    tool = {**TOOL_SPAN, "gen_ai.tool.call.result": RESULT}
    return spans_of(AGENT_SPAN, generation_c(0), tool, generation_c(1))


def genai_c_events() -> list[bytes]:
    """Content in one log record for each call, as `gen_ai.client.inference.operation.details`."""
    details = "gen_ai.client.inference.operation.details"
    content = ("gen_ai.system_instructions", "gen_ai.input.messages", "gen_ai.output.messages")
    logs, calls = [], []
    for turn, span_id in enumerate((FIRST, SECOND)):
        everything = generation_c(turn)
        said = {name: everything.pop(name) for name in content}
        logs.append({**log(span_id, details, 1 + turn, {}), "attributes": listed(said)})
        calls.append(everything)
    record = orjson.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": logs}]}]})
    return [record, *spans_of(AGENT_SPAN, calls[0], TOOL_SPAN, calls[1])]


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
    for turn, span_id in enumerate((FIRST, SECOND)):
        upto = 2 + 2 * turn
        for index, message in enumerate(OPENAI_MESSAGES[:upto]):
            body = {
                key: value for key, value in message.items() if value is not None and key != "role"
            }
            if message["role"] == "tool":
                body = {"content": RESULT, "id": "call_9f"}
            records.append(log(span_id, f"gen_ai.{message['role']}.message", 1 + index / 100, body))
        said = {k: v for k, v in OPENAI_MESSAGES[upto].items() if v is not None and k != "role"}
        choice = {"index": 0, "finish_reason": FINISH[turn], "message": said}
        records.append(log(span_id, "gen_ai.choice", 1.5, choice))
    logs = orjson.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]})
    chat = {"gen_ai.operation.name": "chat", "gen_ai.response.model": MODEL}
    calls = [
        {**chat, "gen_ai.usage.input_tokens": used, "gen_ai.usage.output_tokens": made}
        for used, made in USAGE
    ]
    return [logs, *spans_of(AGENT_SPAN, calls[0], TOOL_SPAN, calls[1])]


def genai_b_events() -> list[bytes]:
    """Content in span events whose values are JSON texts of Bedrock's parts, as Strands writes."""

    def parts(message: dict[str, Any]) -> list[dict[str, Any]]:
        if message["role"] == "tool":
            result = {"toolUseId": "call_9f", "content": [{"text": RESULT}], "status": "success"}
            return [{"toolResult": result}]
        if message.get("tool_calls"):
            use = {"toolUseId": "call_9f", "name": "get_order", "input": {"order_id": "A17"}}
            return [{"toolUse": use}]
        return [{"text": message["content"]}]

    def event(name: str, time: float, **named: Any) -> dict[str, Any]:
        at = str(START + int(time * 1e9))
        return {"name": f"gen_ai.{name}", "timeUnixNano": at, "attributes": attributes(**named)}

    def call(turn: int, own: str) -> dict[str, Any]:
        begin, upto = 1 + 2 * turn, 2 + 2 * turn
        events = [
            event(f"{m['role']}.message", begin + i / 100, content=dumps(parts(m)))
            for i, m in enumerate(OPENAI_MESSAGES[:upto])
        ]
        answer = dumps(parts(OPENAI_MESSAGES[upto]))
        reason = ("tool_use", "end_turn")[turn]
        events.append(event("choice", begin + 0.9, finish_reason=reason, message=answer))
        named = {
            "gen_ai.operation.name": "chat",
            "gen_ai.system": "strands-agents",
            "gen_ai.request.model": MODEL,
            "gen_ai.usage.input_tokens": USAGE[turn][0],
            "gen_ai.usage.output_tokens": USAGE[turn][1],
        }
        return span(
            TRACE, own, begin, begin + 1, attributes=listed(named), events=events, parentSpanId=ROOT
        )

    root = span(TRACE, ROOT, 0, 5, attributes=listed(AGENT_SPAN))
    tool = span(TRACE, TOOL, 2, 3, attributes=listed(TOOL_SPAN), parentSpanId=ROOT)
    return [otlp(call(1, SECOND), tool), otlp(root, call(0, FIRST))]


def genai_a() -> list[bytes]:
    """Content in span events, as JSON of OpenAI messages; nothing but model calls has a span."""
    value = []
    for turn, (span_id, (used, made)) in enumerate(zip((FIRST, SECOND), USAGE, strict=True)):
        begin, upto = 1 + 2 * turn, 2 + 2 * turn
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
        named = {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": MODEL,
            "gen_ai.usage.prompt_tokens": used,
            "gen_ai.usage.completion_tokens": made,
            "gen_ai.response.finish_reasons": [FINISH[turn]],
        }
        value.append(
            span(TRACE, span_id, begin, begin + 1, attributes=listed(named), events=events,
                 parentSpanId=ROOT)
        )  # fmt: skip
    request = listed({"http.route": "/chat", "session.id": SESSION, **WHO})
    return [otlp(value[0], span(TRACE, ROOT, 0, 5, attributes=request), value[1])]
