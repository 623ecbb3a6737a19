"""Small records of one made-up conversation, in the forms of the wire."""

from typing import Any

import orjson

START = 1_760_000_000_000_000_000


def text(value: str) -> dict[str, Any]:
    return {"stringValue": value}


def attributes(**values: Any) -> list[dict[str, Any]]:
    """OTLP attributes; `__` stands for the dot."""
    return [
        {"key": key.replace("__", "."), "value": value if isinstance(value, dict) else text(value)}
        for key, value in values.items()
    ]


def otlp(*spans: dict[str, Any]) -> bytes:
    resource = {"attributes": attributes(service__name="shop-agent")}
    scoped = [{"scope": {"name": "test"}, "spans": list(spans)}]
    return orjson.dumps({"resourceSpans": [{"resource": resource, "scopeSpans": scoped}]})


def span(trace_id: str, span_id: str, start: float, end: float, **fields: Any) -> dict[str, Any]:
    return {
        "traceId": trace_id,
        "spanId": span_id,
        "name": "span",
        "startTimeUnixNano": str(START + int(start * 1e9)),
        "endTimeUnixNano": str(START + int(end * 1e9)),
        **fields,
    }


def agent_span(trace_id: str, **more: Any) -> dict[str, Any]:
    named = attributes(
        gen_ai__operation__name="invoke_agent",
        gen_ai__agent__name="shop",
        gen_ai__conversation__id="conv-42",
        **more,
    )
    return span(trace_id, "a1b2c3d4e5f60718", 0, 4.2, attributes=named, flags=257)


def chat_span(trace_id: str, **more: Any) -> dict[str, Any]:
    asked = [
        {"role": "user", "parts": [{"type": "text", "content": "Where is A17?"}], "name": None}
    ]
    call = {
        "type": "tool_call",
        "id": "call_9f",
        "name": "get_order",
        "arguments": {"order_id": "A17"},
    }
    said = [{"role": "assistant", "parts": [call], "finish_reason": "tool_calls"}]
    named = attributes(
        gen_ai__operation__name="chat",
        gen_ai__response__model="gpt-4o-2024-08-06",
        gen_ai__response__id="chatcmpl-A1",
        gen_ai__response__finish_reasons={"arrayValue": {"values": [text("tool_calls")]}},
        gen_ai__usage__input_tokens={"intValue": "61"},
        gen_ai__usage__output_tokens={"intValue": "15"},
        gen_ai__input__messages=orjson.dumps(asked).decode(),
        gen_ai__output__messages=orjson.dumps(said).decode(),
        **more,
    )
    return span(
        trace_id, "b1b2c3d4e5f60718", 0.1, 1.9,
        parentSpanId="a1b2c3d4e5f60718", attributes=named, status={},
    )  # fmt: skip


def tool_span(trace_id: str) -> dict[str, Any]:
    named = attributes(
        gen_ai__operation__name="execute_tool",
        gen_ai__tool__name="get_order",
        gen_ai__tool__call__id="call_9f",
        gen_ai__tool__call__arguments='{"order_id":"A17"}',
        error__type="TimeoutError",
    )
    return span(
        trace_id, "c1b2c3d4e5f60718", 2, 4, parentSpanId="a1b2c3d4e5f60718",
        attributes=named, status={"code": 2, "message": "upstream timeout"},
    )  # fmt: skip


def span_records(trace_id: str) -> list[bytes]:
    """The agent's, the model's and the tool's span, a record each."""
    return [otlp(make(trace_id)) for make in (agent_span, chat_span, tool_span)]


def otlp_record(trace_id: str) -> bytes:
    """The three spans in one record."""
    return otlp(agent_span(trace_id), chat_span(trace_id), tool_span(trace_id))


def chat_record(record_id: str, turns: int = 1) -> bytes:
    """A chat log of so many questions and answers."""
    messages = [
        {"role": role, "content": f"{role} says {turn}"}
        for turn in range(turns)
        for role in ("user", "assistant")
    ]
    return orjson.dumps({"id": record_id, "model": "m", "messages": messages})
