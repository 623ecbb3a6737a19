"""OTel GenAI semantic conventions, in the three generations that live side by side.

A (to v1.27): span events gen_ai.content.prompt / .completion, or attributes gen_ai.prompt /
.completion with JSON. B (v1.28 to v1.36): an event or log record for each message. C (from v1.37):
attributes gen_ai.system_instructions, gen_ai.input.messages, gen_ai.output.messages.
Source: semantic-conventions docs/gen-ai, tags v1.26 to v1.41.
"""

from collections.abc import Iterator
from typing import Any

from tracemill.ingest.dialects.dialect import (
    Conversation,
    Dialect,
    SpanKind,
    ToolRun,
    messages_in,
    parse_text,
    text_or_none,
)
from tracemill.ingest.span import Span, SpanEvent
from tracemill.ingest.tools import read_tools
from tracemill.ingest.trace import Message, Role, ToolSpec

KINDS: dict[str, SpanKind] = {
    "chat": "model", "text_completion": "model", "generate_content": "model",
    "execute_tool": "tool",
    "invoke_agent": "agent", "create_agent": "other", "invoke_workflow": "other",
    "embeddings": "other", "retrieval": "other", "plan": "other",
}  # fmt: skip
DETAILS = "gen_ai.client.inference.operation.details"
EVENT_ROLES: dict[str, Role] = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
PART_KEYS = frozenset(("text", "toolUse", "toolResult", "reasoningContent"))
"""One of these is in each part of a message of Bedrock's."""


def kind(span: Span) -> SpanKind | None:
    """Return what the span's operation is; a span with messages and no operation is a model's."""
    operation = span.attributes.get("gen_ai.operation.name")
    if isinstance(operation, str):
        return KINDS.get(operation, "other")
    if "gen_ai.tool.name" in span.attributes:
        return "tool"
    if any(name in span.attributes for name in ("gen_ai.input.messages", "gen_ai.prompt")):
        return "model"
    return "model" if any(event.name.startswith("gen_ai.") for event in span.events) else None


def conversation(span: Span) -> Conversation:
    """Return the messages, from wherever the span or its events hold them."""
    details = next((e.attributes for e in span.events if e.name == DETAILS), {})
    attributes = {**details, **span.attributes}
    if "gen_ai.input.messages" in attributes or "gen_ai.output.messages" in attributes:
        return _generation_c(attributes)
    if any(event.name in EVENT_ROLES or event.name == "gen_ai.choice" for event in span.events):
        return _generation_b(span.events)
    return _generation_a(span)


def _generation_c(attributes: dict[str, Any]) -> Conversation:
    system = messages_in(attributes.get("gen_ai.system_instructions"), "system")
    asked = messages_in(attributes.get("gen_ai.input.messages"), "user")
    said = messages_in(attributes.get("gen_ai.output.messages"), "assistant")
    return Conversation(
        input=_joined_system(system.input) + asked.input,
        output=said.input,
        is_truncated=system.is_truncated or asked.is_truncated or said.is_truncated,
    )


def _joined_system(parts: tuple[Message, ...]) -> tuple[Message, ...]:
    """The instructions are a list of parts, read as a message each, of one system message."""
    if not parts:
        return ()
    return (Message(role="system", content="\n".join(part.content or "" for part in parts)),)


def _generation_b(events: list[SpanEvent]) -> Conversation:
    ordered = sorted(events, key=lambda event: event.time_ns)
    asked = [m for event in ordered if event.name in EVENT_ROLES for m in _message(event)]
    said = [m for event in ordered if event.name == "gen_ai.choice" for m in _choice(event)]
    return Conversation(tuple(asked), tuple(said))


def _fields(event: SpanEvent) -> dict[str, Any]:
    """Return the fields of a message: a log record's body, or a span event's attributes."""
    body = event.body if isinstance(event.body, dict) else {}
    return {**event.attributes, **body}


def _message(event: SpanEvent) -> Iterator[Message]:
    fields = _fields(event)
    role = EVENT_ROLES[event.name]
    yield from messages_in(
        {**_parsed_calls(fields), "role": fields.get("role") or role}, role
    ).input


def _choice(event: SpanEvent) -> Iterator[Message]:
    fields = _fields(event)
    message = _message_fields(fields.get("message")) or fields
    yield from messages_in({**_parsed_calls(message), "role": "assistant"}, "assistant").input


def _message_fields(raw: Any) -> dict[str, Any]:
    value = parse_text(raw).value
    if isinstance(value, list):  # the parts alone (Strands)
        return {"content": value}
    return value if isinstance(value, dict) else {}


def _parsed_calls(fields: dict[str, Any]) -> dict[str, Any]:
    names = ("content", "role", "tool_calls", "id", "name")
    kept = {name: fields[name] for name in names if fields.get(name) is not None}
    if isinstance(kept.get("tool_calls"), str):
        kept["tool_calls"] = parse_text(kept["tool_calls"]).value
    if isinstance(kept.get("content"), str):
        kept["content"] = _parts(kept["content"])
    return kept


def _parts(content: str) -> Any:
    """Return the parts that a text of JSON lists, as Strands writes Bedrock's; else the text."""
    parts = parse_text(content).value if content.startswith("[{") else None
    is_parts = isinstance(parts, list) and all(
        isinstance(part, dict) and not PART_KEYS.isdisjoint(part) for part in parts
    )
    return parts if is_parts else content


def _generation_a(span: Span) -> Conversation:
    def found(key: str, event_name: str) -> Any:
        events = (e.attributes.get(key) for e in span.events if e.name == event_name)
        return span.attributes.get(key) or next(filter(None, events), None)

    asked = messages_in(found("gen_ai.prompt", "gen_ai.content.prompt"), "user")
    said = messages_in(found("gen_ai.completion", "gen_ai.content.completion"), "assistant")
    return Conversation(asked.input, said.input, asked.is_truncated or said.is_truncated)


def tool_run(span: Span) -> ToolRun:
    """Return what the tool was given and answered."""
    result = span.attributes.get("gen_ai.tool.call.result")
    return ToolRun(
        arguments=text_or_none(span.attributes.get("gen_ai.tool.call.arguments")),
        result=text_or_none(result),
    )


def tools(span: Span) -> tuple[ToolSpec, ...]:
    """Return the tools that were offered."""
    return read_tools(span.attributes.get("gen_ai.tool.definitions"))


def answer(span: Span) -> tuple[Message, ...]:
    """Return what the model answered, from the span's own attributes."""
    return messages_in(span.attributes.get("gen_ai.output.messages"), "assistant").input


GENAI = Dialect(
    "otel-genai", kind, conversation, tool_run, tools,
    history="gen_ai.input.messages", answer=answer,
    repeated=("gen_ai.system_instructions", "gen_ai.tool.definitions"),
)  # fmt: skip
