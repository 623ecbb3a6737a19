"""One conversation, as each dialect writes it: a question, a call, its result, an answer.

Structures are those of the libraries named in the dialects' modules; ids and texts are made up.
Each dialect says all that its wire has a place for, so that what is missing in a Trace is either
the wire's fault or ours. What must come out is written down in `conversation_trace.json`.
"""

from datetime import UTC, datetime
from typing import Any

import orjson

from tests.ingest.samples import START, attributes, otlp, span, text

TRACE = "7f3a1c52e0b94d6f8a2b6c1d9e0f4a11"
ROOT, FIRST, TOOL, SECOND = (
    "a1b2c3d4e5f60718",
    "b1b2c3d4e5f60718",
    "c1b2c3d4e5f60718",
    "d1b2c3d4e5f60718",
)
PLACES = ((ROOT, None, 0, 5), (FIRST, ROOT, 1, 2), (TOOL, ROOT, 2, 3), (SECOND, ROOT, 3, 4))
"""Each span's id, its parent's, and when it began and ended, in seconds."""
MODEL = "gpt-4o-2024-08-06"
SESSION, USER, TENANT, AGENT = "conv-42", "u42", "acme", "shop"
SYSTEM, QUESTION, ANSWER = "You are a shop agent.", "Where is A17?", "It shipped."
ARGUMENTS, RESULT = '{"order_id":"A17"}', '{"status":"shipped"}'
SCHEMA = {"type": "object", "properties": {"order_id": {"type": "string"}}}
OPENAI_TOOL: dict[str, Any] = {
    "type": "function",
    "function": {"name": "get_order", "description": "Finds an order.", "parameters": SCHEMA},
}
OPENAI_CALL = {
    "id": "call_9f",
    "type": "function",
    "function": {"name": "get_order", "arguments": ARGUMENTS},
}
OPENAI_MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": SYSTEM},
    {"role": "user", "content": QUESTION},
    {"role": "assistant", "content": None, "tool_calls": [OPENAI_CALL]},
    {"role": "tool", "tool_call_id": "call_9f", "content": RESULT},
    {"role": "assistant", "content": ANSWER},
]
USAGE = ((61, 15), (90, 6))
"""Prompt and completion tokens of the two calls."""
COST_USD = (0.0003, 0.0004)
FINISH = ("tool_calls", "stop")


def dumps(value: Any) -> str:
    return orjson.dumps(value).decode()


def iso(seconds: float) -> str:
    """So long after the conversation began."""
    return datetime.fromtimestamp(START / 1e9 + seconds, UTC).isoformat()


def number(value: int) -> dict[str, Any]:
    return {"intValue": str(value)}


def spans_of(*named: dict[str, Any]) -> list[bytes]:
    """The root, first call, tool and second call with these attributes, in two records."""
    made = [
        span(
            TRACE,
            own,
            begin,
            end,
            attributes=listed(given),
            **({"parentSpanId": parent} if parent else {}),
        )
        for (own, parent, begin, end), given in zip(PLACES, named, strict=True)
        if given
    ]
    return [otlp(*made[2:]), otlp(*made[:2])]


def listed(given: dict[str, Any]) -> list[dict[str, Any]]:
    return attributes(**{key.replace(".", "__"): wrapped(value) for key, value in given.items()})


def wrapped(value: Any) -> Any:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return number(value)
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [text(item) for item in value]}}
    return value


def genai_parts(message: dict[str, Any]) -> dict[str, Any]:
    if message["role"] == "tool":
        part = {"type": "tool_call_response", "id": "call_9f", "response": message["content"]}
        return {"role": "tool", "parts": [part]}
    if calls := message.get("tool_calls"):
        function = calls[0]["function"]
        part = {"type": "tool_call", "id": "call_9f", "name": function["name"]}
        return {"role": "assistant", "parts": [{**part, "arguments": function["arguments"]}]}
    return {"role": message["role"], "parts": [{"type": "text", "content": message["content"]}]}
