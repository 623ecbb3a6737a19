"""Langfuse observations: over OTLP (SDK 3 and later), from ingestion batches, and from exports.

The content is whatever the traced framework passed: input and output are JSON of any provider's
form, or plain text. Source: langfuse SDK 5.0.4, REST API types of 3.15.0.
"""

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
from tracemill.ingest.envelopes import tools_in
from tracemill.ingest.message_parts import result_text
from tracemill.ingest.span import Span
from tracemill.ingest.tools import read_tools
from tracemill.ingest.trace import Message, Role, ToolSpec

TYPE = "langfuse.observation.type"
ASKED, SAID = "langfuse.observation.input", "langfuse.observation.output"
KINDS: dict[str, SpanKind] = {"generation": "model", "tool": "tool", "agent": "agent"}


def kind(span: Span) -> SpanKind | None:
    """Return what the observation is."""
    value = span.attributes.get(TYPE)
    return KINDS.get(value.lower(), "other") if isinstance(value, str) else None


def conversation(span: Span) -> Conversation:
    """Return the messages of input and output."""
    asked, asked_cut = _side(span, ASKED, "user")
    said, said_cut = _side(span, SAID, "assistant")
    return Conversation(_instructions(span, asked) + asked, said, asked_cut or said_cut)


def _side(span: Span, name: str, role: Role) -> tuple[tuple[Message, ...], bool]:
    raw = parse_text(span.attributes.get(name))
    if isinstance(raw.value, dict) and _says_nothing(raw.value):
        return (), raw.is_truncated
    read = messages_in(raw.value, role)
    return read.input, raw.is_truncated or read.is_truncated


def _says_nothing(value: dict[str, Any]) -> bool:
    """Whether it is no message: LangSmith's export writes {"content": "role"} for "as before"."""
    return set(value) == {"content"} and value["content"] == "role"


def _instructions(span: Span, asked: tuple[Message, ...]) -> tuple[Message, ...]:
    """Return the system message that only the answer of OpenAI's Responses repeats."""
    answer = parse_text(span.attributes.get(SAID)).value
    text = answer.get("instructions") if isinstance(answer, dict) else None
    if not isinstance(text, str):
        raw = span.attributes.get("gen_ai.system_instructions")
        text = "\n".join(m.content or "" for m in messages_in(raw, "system").input) or None
    has_system = any(message.role == "system" for message in asked)
    return (Message(role="system", content=text),) if text and not has_system else ()


def tool_run(span: Span) -> ToolRun:
    """Return the tool's input and output."""
    given = parse_text(span.attributes.get(ASKED)).value
    said = parse_text(span.attributes.get(SAID)).value
    if isinstance(given, dict) and set(given) == {"input"}:
        given = given["input"]
    return ToolRun(text_or_none(given), None if said is None else result_text(said))


def tools(span: Span) -> tuple[ToolSpec, ...]:
    """Return the tools that the observation, its request or its answer names."""
    for raw in ("gen_ai.tool.definitions", "langfuse.observation.tools"):
        if found := read_tools(span.attributes.get(raw)):
            return found
    return tools_in(span.attributes.get(ASKED)) or tools_in(span.attributes.get(SAID))


LANGFUSE = Dialect(
    "langfuse",
    kind,
    conversation,
    tool_run,
    tools,
    marks=frozenset((TYPE,)),
)
