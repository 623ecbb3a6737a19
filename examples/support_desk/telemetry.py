"""Telemetry: a served request as OTLP JSON, by OpenTelemetry's conventions for GenAI (v1.37 on).

A root span of the agent, one `chat` span for each answer of the model with the whole conversation
before it, one `execute_tool` span for each call. What Tracemill needs beyond the conventions
stands on the root: task, environment state, outcome. Source: open-telemetry/semantic-conventions,
docs/gen-ai, v1.41.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import orjson

from examples.support_desk.agent import Served
from examples.support_desk.tools import TOOLS
from tracemill.curation.episode import EpisodeStep
from tracemill.ingest.trace import Message, ToolCall
from tracemill.record import content_id

AGENT = "support-desk"
TOOL_SECONDS = 0.05
_SERVER, _CLIENT, _INTERNAL = 2, 3, 1
_ERROR = 2
_DEFINITIONS = orjson.dumps([{"type": "function", **tool.model_dump()} for tool in TOOLS]).decode()


def to_otlp(served: Served) -> bytes:
    """Return one OTLP trace request in JSON that holds the spans of this episode."""
    scope = {"scope": {"name": "examples.support_desk"}, "spans": list(_spans(served))}
    resource = {"attributes": _attributes({"service.name": AGENT})}
    return orjson.dumps({"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]})


def _spans(served: Served) -> Iterator[dict[str, Any]]:
    said = served.result.messages
    begin = served.started_at
    for step in served.result.steps:
        end = begin + timedelta(seconds=step.seconds)
        yield _chat_span(served, step, begin, end)
        replies = {m.tool_call_id: m for m in said[step.message + 1 :] if m.role == "tool"}
        for call in said[step.message].tool_calls:
            if call.id in replies:
                begin, end = end, end + timedelta(seconds=TOOL_SECONDS)
                yield _tool_span(served, call, replies[call.id], begin, end)
        begin = end
    yield _root_span(served, begin)


def _root_span(served: Served, ended: datetime) -> dict[str, Any]:
    attributes: dict[str, Any] = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": AGENT,
        "gen_ai.conversation.id": served.request.conversation,
        "user.id": served.request.customer,
        "tracemill.task": f"{served.request.conversation}/{served.request.number}",
        "tracemill.environment.state": served.request.state.to_json(),
        "tracemill.model.version": served.model.version,
        "gen_ai.response.model": served.model.name,
        "tracemill.outcome.error": served.result.error,
    }
    if served.result.error is None:
        attributes["tracemill.outcome.reward"] = served.verdict
    span = _span(served, f"invoke_agent {AGENT}", attributes, served.started_at, ended)
    return {**span, "kind": _SERVER, "spanId": _root_id(served), "parentSpanId": ""}


def _chat_span(served: Served, step: EpisodeStep, begin: datetime, end: datetime) -> dict[str, Any]:
    said = served.result.messages
    asked = (*served.prompt, *said[: step.message])
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "tracemill",
        "gen_ai.response.model": served.model.name,
        "tracemill.model.version": served.model.version,
        "gen_ai.response.finish_reasons": [_FINISH.get(step.finish_reason, "stop")],
        "gen_ai.usage.input_tokens": step.prompt_tokens,
        "gen_ai.usage.output_tokens": step.completion_tokens,
        "gen_ai.tool.definitions": _DEFINITIONS,
        "gen_ai.input.messages": _as_text([_parts(message) for message in asked]),
        "gen_ai.output.messages": _as_text([_parts(said[step.message])]),
    }
    return _span(served, f"chat {served.model.name}", attributes, begin, end) | {"kind": _CLIENT}


_FINISH = {"tool": "tool_calls", "length": "length"}


def _tool_span(
    served: Served, call: ToolCall, reply: Message, begin: datetime, end: datetime
) -> dict[str, Any]:
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": call.name,
        "gen_ai.tool.call.id": call.id,
        "gen_ai.tool.call.arguments": call.arguments,
    }
    if reply.is_error:
        attributes["error.type"] = "tool_error"
        failed = {"status": {"code": _ERROR, "message": reply.content or ""}}
        return _span(served, f"execute_tool {call.name}", attributes, begin, end) | failed
    attributes["gen_ai.tool.call.result"] = reply.content or ""
    return _span(served, f"execute_tool {call.name}", attributes, begin, end)


def _span(
    served: Served, name: str, attributes: dict[str, Any], begin: datetime, end: datetime
) -> dict[str, Any]:
    return {
        "traceId": served.trace_id,
        "spanId": content_id("span", [served.trace_id, name, begin.isoformat()])[-16:],
        "parentSpanId": _root_id(served),
        "name": name,
        "kind": _INTERNAL,
        "startTimeUnixNano": _nanoseconds(begin),
        "endTimeUnixNano": _nanoseconds(end),
        "attributes": _attributes(attributes),
        "status": {},
    }


def _root_id(served: Served) -> str:
    return served.trace_id[:16]


def _nanoseconds(time: datetime) -> str:
    """OTLP JSON writes 64-bit integers as text."""
    return str(int(time.timestamp() * 1_000_000) * 1000)


def _attributes(values: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"key": name, "value": _any_value(value)}
        for name, value in values.items()
        if value is not None
    ]


def _any_value(value: Any) -> dict[str, Any]:
    if isinstance(value, list):
        return {"arrayValue": {"values": [_any_value(item) for item in value]}}
    if isinstance(value, float):
        return {"doubleValue": value}
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}


def _as_text(value: Any) -> str:
    return orjson.dumps(value).decode()


def _parts(message: Message) -> dict[str, Any]:
    """A message as the conventions' JSON schema has it: a role and parts."""
    if message.role == "tool":
        part = {
            "type": "tool_call_response",
            "id": message.tool_call_id,
            "response": message.content,
        }
        return {"role": "tool", "parts": [part]}
    parts: list[dict[str, Any]] = []
    if message.content:
        parts.append({"type": "text", "content": message.content})
    parts += [
        {"type": "tool_call", "id": call.id, "name": call.name, "arguments": _arguments(call)}
        for call in message.tool_calls
    ]
    named = {} if message.name is None else {"name": message.name}
    return {"role": message.role, "parts": parts, **named}


def _arguments(call: ToolCall) -> Any:
    parsed = call.parsed()
    return call.arguments if parsed is None else parsed
