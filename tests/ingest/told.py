"""Told: what a recording says of one episode, read by a few lines of plain code of its own.

None of the readers of ingest is used, so that a mistake of theirs shows. A `Told` is a dict; only
what the recording says stands in it, and only that is compared.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import orjson

from tests.ingest.reading import redactor
from tracemill.ingest.trace import Trace

Told = dict[str, Any]


def said(role: str, content: str | None, *calls: Told, **more: Any) -> Told:
    """A message; of a tool result `call_id` is the wire's and `answers` the place of its call."""
    return {"role": role, "content": content or "", "calls": list(calls), **more}


def called(name: str, arguments: Any, id_: str | None = None) -> Told:
    """A call; without an id where the recording has none."""
    made = {"name": name, "arguments": arguments}
    return made if not id_ else {**made, "id": id_}


def openai(message: Mapping[str, Any]) -> Told:
    """A message in OpenAI's chat form."""
    calls = [
        called(call["function"]["name"], call["function"]["arguments"], call["id"])
        for call in message.get("tool_calls") or ()
    ]
    is_tool = message["role"] == "tool"
    more = {"call_id": message["tool_call_id"], "is_error": None} if is_tool else {}
    return said(message["role"], texts(message["content"]), *calls, **more)


def texts(content: Any) -> str:
    """The text of a content that is a text, or parts of text."""
    if isinstance(content, list):
        return "\n".join(part.get("text", part.get("content")) for part in content)
    return content or ""


def openai_tools(tools: Sequence[Mapping[str, Any]]) -> list[Told]:
    return [tool_of(tool["function"]) for tool in tools]


def tool_of(function: Mapping[str, Any]) -> Told:
    return {
        "name": function["name"],
        "description": function.get("description") or "",
        "parameters": function.get("parameters") or {},
    }


def moment(text: str) -> datetime:
    """An ISO 8601 time; in UTC if it does not say."""
    read = datetime.fromisoformat(text)
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def redacted(told: Told) -> Told:
    """The same as the store may hold it; times are no text."""
    return {
        key: value
        if isinstance(value, datetime) or key in ("steps", "user")
        else redactor().value(value)
        for key, value in told.items()
    } | {"messages": [_parsed(message) for message in redactor().value(told["messages"])]}  # type: ignore[union-attr]


def _parsed(message: Any) -> Told:
    calls = [{**call, "arguments": _json(call["arguments"])} for call in message["calls"]]
    return {**message, "calls": calls}


def _json(arguments: Any) -> Any:
    if not isinstance(arguments, str):
        return arguments
    try:
        return orjson.loads(arguments)
    except orjson.JSONDecodeError:
        return arguments


def like(told: Told, trace: Trace) -> Told:
    """Return of the trace what `told` speaks of, so that both can be compared."""
    whole = _whole(trace)
    found = {key: whole[key] for key in told}
    if len(found["messages"]) == len(told["messages"]):
        pairs = zip(told["messages"], found["messages"], strict=True)
        found["messages"] = [_like_message(wanted, got) for wanted, got in pairs]
    if "steps" in told:
        found["steps"] = {
            place: {field: got.get(field) for field in told["steps"].get(place, got)}
            for place, got in whole["steps"].items()
        }
    return found


def _like_message(wanted: Told, got: Told) -> Told:
    kept = {key: got.get(key) for key in wanted}
    if len(wanted["calls"]) == len(got["calls"]):
        pairs = zip(wanted["calls"], got["calls"], strict=True)
        kept["calls"] = [{key: call[key] for key in like_} for like_, call in pairs]
    return kept


def _whole(trace: Trace) -> Told:
    places = {
        call.id: [index, number]
        for index, message in enumerate(trace.messages)
        for number, call in enumerate(message.tool_calls)
    }
    return {
        "id": trace.id,
        "session": trace.session_id,
        "user": trace.user_id,
        "agent": trace.agent,
        "model": trace.model.name,
        "reward": trace.outcome.reward,
        "label": trace.outcome.label,
        "error": trace.outcome.error,
        "task": trace.task,
        "expected_calls": [[call.name, call.arguments] for call in trace.outcome.expected_calls],
        "tools": [tool.model_dump() for tool in trace.tools],
        "started_at": trace.started_at,
        "ended_at": trace.ended_at,
        "has_content": trace.has_content,
        "steps": {step.message: step.model_dump(exclude={"message"}) for step in trace.steps},
        "messages": [
            {
                **message.model_dump(include={"role", "name", "is_error"}),
                "content": message.content or "",
                "calls": [
                    {"id": call.id, "name": call.name, "arguments": _json(call.arguments)}
                    for call in message.tool_calls
                ],
                "call_id": message.tool_call_id,
                "answers": places.get(message.tool_call_id or ""),
            }
            for message in trace.messages
        ],
    }
