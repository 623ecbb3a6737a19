"""A stream of agent traces as OTLP/JSON, made from a seed: what `bench.ingest` feeds to everybody.

Sizes are like those of real agents: 2 to 50 kB a trace, since each model call repeats the history
before it. One text in twelve holds something that redaction must find.
"""

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson

START_NS = 1_760_000_000_000_000_000
WORDS = [
    "order",
    "refund",
    "flight",
    "customer",
    "policy",
    "please",
    "confirm",
    "delivery",
    "account",
    "payment",
    "address",
    "change",
    "cancel",
    "tomorrow",
    "status",
    "ticket",
    "request",
    "baggage",
    "cabin",
    "economy",
    "business",
    "upgrade",
    "reservation",
    "the",
    "a",
    "of",
    "to",
    "and",
    "in",
    "for",
    "with",
    "your",
    "my",
    "is",
    "was",
    "not",
    "can",
    "could",
    "would",
    "thank",
    "you",
    "about",
    "after",
    "before",
]
TOOLS = ("get_order", "get_user", "search_flights", "update_reservation", "calculate", "refund")


class MadeTrace(NamedTuple):
    """One trace on the wire, and what is true of it."""

    trace_id: str
    value: bytes
    spans: int
    messages: int


def stream(count: int, seed: int = 0) -> Iterator[MadeTrace]:
    """Yield so many traces, one record each; the same ones for the same seed."""
    rng = random.Random(seed)
    for number in range(count):
        yield _trace(rng, number)


def _trace(rng: random.Random, number: int) -> MadeTrace:
    trace_id = f"{rng.getrandbits(128) | 1:032x}"
    root = _span_id(rng)
    messages = [_message("user", _text(rng, 20))]
    system = _text(rng, rng.choice((40, 120, 300)))
    start = START_NS + number * 10**9
    spans, clock = [], start
    for turn in range(rng.choice((1, 2, 2, 3, 3, 4, 5, 6))):
        call = {
            "id": f"call_{number}_{turn}",
            "name": rng.choice(TOOLS),
            "arguments": _arguments(rng),
        }
        said = [
            {
                "role": "assistant",
                "parts": [{"type": "tool_call", **call}],
                "finish_reason": "tool_call",
            }
        ]
        clock += 10**8
        spans.append(
            _span(trace_id, _span_id(rng), root, clock, "chat", _chat(rng, system, messages, said))
        )
        clock += 10**8
        result = _result(rng)
        spans.append(
            _span(trace_id, _span_id(rng), root, clock, "execute_tool", _tool(call, result))
        )
        answer = {"type": "tool_call_response", "id": call["id"], "response": result}
        messages += [
            {"role": "assistant", "parts": said[0]["parts"]},
            {"role": "tool", "parts": [answer]},
        ]
    final = [{**_message("assistant", _text(rng, 40)), "finish_reason": "stop"}]
    spans.append(
        _span(
            trace_id,
            _span_id(rng),
            root,
            clock + 10**8,
            "chat",
            _chat(rng, system, messages, final),
        )
    )
    agent = {
        "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "shop",
        "gen_ai.conversation.id": f"conv-{number}", "user.id": f"user-{number % 997}",
    }  # fmt: skip
    spans.append(_span(trace_id, root, "", start, "invoke_agent", agent))
    resource = [_attribute("service.name", "shop"), _attribute("telemetry.sdk.language", "python")]
    scoped = [{"scope": {"name": "opentelemetry.util.genai", "version": "1.3b0"}, "spans": spans}]
    request = {"resourceSpans": [{"resource": {"attributes": resource}, "scopeSpans": scoped}]}
    return MadeTrace(trace_id, orjson.dumps(request), len(spans), len(messages) + 2)


def _span_id(rng: random.Random) -> str:
    return f"{rng.getrandbits(64) | 1:016x}"


def _message(role: str, content: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": content}]}


def _text(rng: random.Random, words: int) -> str:
    chosen = rng.choices(WORDS, k=words)
    if rng.random() < 1 / 12:
        chosen.insert(rng.randrange(words), _planted(rng))
    return " ".join(chosen)


def _planted(rng: random.Random) -> str:
    digits = "".join(rng.choices("0123456789", k=7))
    return rng.choice((
        f"ann.{digits}@example.com", f"+1 415 {digits[:3]} {digits[3:]}", f"10.{int(digits[:2])}.7.9",
        f"sk-proj-{digits}abcdefghij{digits}K9", "4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00",
    ))  # fmt: skip


def _arguments(rng: random.Random) -> dict[str, Any]:
    return {
        "order_id": f"#W{rng.randrange(10**7)}",
        "reason": _text(rng, 4),
        "amount": rng.randrange(500),
    }


def _result(rng: random.Random) -> str:
    rows = [
        {
            "id": rng.randrange(10**9),
            "date": "2024-05-15",
            "note": _text(rng, 8),
            "price": rng.randrange(900),
        }
        for _ in range(rng.choice((1, 2, 4, 8)))
    ]
    return orjson.dumps(rows).decode()


def _chat(rng: random.Random, system: str, messages: list[Any], said: list[Any]) -> dict[str, Any]:
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-4o",
        "gen_ai.response.model": "gpt-4o-2024-08-06",
        "gen_ai.response.id": f"chatcmpl-{rng.getrandbits(64):x}",
        "gen_ai.response.finish_reasons": [said[0]["finish_reason"]],
        "gen_ai.usage.input_tokens": 60 + 40 * len(messages),
        "gen_ai.usage.output_tokens": 15,
        "gen_ai.system_instructions": orjson.dumps([{"type": "text", "content": system}]).decode(),
        "gen_ai.input.messages": orjson.dumps(messages).decode(),
        "gen_ai.output.messages": orjson.dumps(said).decode(),
    }


def _tool(call: dict[str, Any], result: str) -> dict[str, Any]:
    return {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": call["name"],
        "gen_ai.tool.call.id": call["id"],
        "gen_ai.tool.call.arguments": orjson.dumps(call["arguments"]).decode(),
        "gen_ai.tool.call.result": result,
    }


def _span(  # the fields of a span
    trace_id: str, span_id: str, parent: str, start: int, name: str, named: dict[str, Any]
) -> dict[str, Any]:
    return {
        "traceId": trace_id,
        "spanId": span_id,
        "parentSpanId": parent,
        "name": name,
        "kind": 1,
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(start + 9 * 10**7),
        "attributes": [_attribute(key, value) for key, value in named.items()],
        "status": {},
    }


def _attribute(key: str, value: Any) -> dict[str, Any]:
    if isinstance(value, list):
        typed: dict[str, Any] = {"arrayValue": {"values": [{"stringValue": one} for one in value]}}
    else:
        typed = {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}
    return {"key": key, "value": typed}
