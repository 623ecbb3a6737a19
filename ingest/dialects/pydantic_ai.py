"""pydantic-ai: the run's span carries all messages; older versions list them as `events` JSON.

Its model spans are written in the GenAI conventions as well; what is read here is what those do
not hold. Source: pydantic-ai's instrumentation, versions 1 to 3 of its settings.
"""

from typing import Any

from tracemill.ingest.dialects import genai
from tracemill.ingest.dialects.dialect import (
    Conversation,
    Dialect,
    SpanKind,
    ToolRun,
    messages_in,
    parse_text,
    text_or_none,
)
from tracemill.ingest.message_parts import result_text
from tracemill.ingest.span import Span
from tracemill.ingest.tools import read_tools
from tracemill.ingest.trace import Message, ToolSpec

ALL = ("pydantic_ai.all_messages", "all_messages_events")


def kind(span: Span) -> SpanKind | None:
    """Return what the span is, if it is one of those that only pydantic-ai writes."""
    if any(name in span.attributes for name in ALL):
        return "agent"
    if "events" in span.attributes and "gen_ai.operation.name" in span.attributes:
        return "model"
    if "tool_arguments" in span.attributes:
        return "tool"
    return None


def conversation(span: Span) -> Conversation:
    """Return the messages; the run's last one is what was answered."""
    raw = next(
        (span.attributes[name] for name in (*ALL, "events") if name in span.attributes), None
    )
    parsed = parse_text(raw)
    items = parsed.value if isinstance(parsed.value, list) else []
    read = messages_in([_event(item) for item in items], "user").input
    answered = _answered(read)
    return Conversation(read[:answered], read[answered:], parsed.is_truncated)


def _event(item: Any) -> Any:
    """Return the message of an event of the GenAI conventions' second generation."""
    if isinstance(item, dict) and item.get("event.name") == "gen_ai.choice":
        return item.get("message")
    return item


def _answered(messages: tuple[Message, ...]) -> int:
    """Return the index of a last assistant message; their number if another comes last."""
    is_answer = bool(messages) and messages[-1].role == "assistant"
    return len(messages) - is_answer


def tool_run(span: Span) -> ToolRun:
    """Return the tool's arguments and answer."""
    said = parse_text(span.attributes.get("tool_response")).value
    return ToolRun(
        text_or_none(span.attributes.get("tool_arguments")),
        None if said is None else result_text(said),
    )


def tools(span: Span) -> tuple[ToolSpec, ...]:
    """Return the tools that were offered."""
    request = parse_text(span.attributes.get("model_request_parameters")).value
    if isinstance(request, dict):
        from_request = [
            {**tool, "parameters": tool.get("parameters_json_schema")}
            for tool in request.get("function_tools") or ()
        ]
        return read_tools(from_request)
    return genai.tools(span)


PYDANTIC_AI = Dialect(
    "pydantic-ai",
    kind,
    conversation,
    tool_run,
    tools,
    marks=frozenset((*ALL, "events", "tool_arguments")),
)
