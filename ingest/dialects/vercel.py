"""Vercel AI SDK: `ai.*` attributes. The outer span of a call repeats the inner one, which counts.

Source: recorded spans of AI SDK 6, and the alias tables of mlflow 3.17.2.
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
from tracemill.ingest.message_parts import result_text
from tracemill.ingest.span import Span
from tracemill.ingest.tools import read_tools
from tracemill.ingest.trace import ToolSpec


def kind(span: Span) -> SpanKind | None:
    """Return what the operation is; an outer call is a model call too, until an inner one is seen."""
    operation = span.attributes.get("ai.operationId")
    if not isinstance(operation, str):
        return None
    if operation == "ai.toolCall":
        return "tool"
    is_model = operation.startswith(("ai.generate", "ai.stream"))
    return "model" if is_model else "other"


def conversation(span: Span) -> Conversation:
    """Return the prompt's messages, and the answer's text and calls."""
    attributes = span.attributes
    asked = messages_in(attributes.get("ai.prompt.messages", attributes.get("ai.prompt")), "user")
    calls = parse_text(attributes.get("ai.response.toolCalls"))
    text = attributes.get("ai.response.text", attributes.get("ai.response.object"))
    answer = {"role": "assistant", "content": text, "tool_calls": calls.value or []}
    said = messages_in([answer], "assistant").input if text or calls.value else ()
    return Conversation(asked.input, said, asked.is_truncated or calls.is_truncated)


def tool_run(span: Span) -> ToolRun:
    """Return the call's arguments and its result."""
    said = parse_text(span.attributes.get("ai.toolCall.result")).value
    return ToolRun(
        text_or_none(span.attributes.get("ai.toolCall.args")),
        None if said is None else result_text(said),
    )


def tools(span: Span) -> tuple[ToolSpec, ...]:
    """Return the tools of the prompt, each a JSON text."""
    offered: Any = span.attributes.get("ai.prompt.tools")
    return read_tools(offered)


VERCEL = Dialect(
    "vercel-ai",
    kind,
    conversation,
    tool_run,
    tools,
    marks=frozenset(("ai.operationId",)),
)
