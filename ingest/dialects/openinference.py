"""OpenInference (Arize Phoenix): messages flattened into attributes, one for each field.

Source: openinference spec/semantic_conventions.md. The SDKs keep 128 attributes of a span, so of a
long conversation the oldest (Python) or the newest (JavaScript, Go) are missing; `input.value`
then still holds the raw request.
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
from tracemill.ingest.dialects.indexed import has_gap, nested
from tracemill.ingest.envelopes import tools_in
from tracemill.ingest.message_parts import result_text
from tracemill.ingest.span import Span
from tracemill.ingest.tools import read_tools
from tracemill.ingest.trace import Role, ToolSpec

KIND = "openinference.span.kind"
KINDS: dict[str, SpanKind] = {"LLM": "model", "TOOL": "tool", "AGENT": "agent"}
ASKED, SAID = "llm.input_messages", "llm.output_messages"


def kind(span: Span) -> SpanKind | None:
    """Return what the span's kind says."""
    value = span.attributes.get(KIND)
    return KINDS.get(value.upper(), "other") if isinstance(value, str) else None


def conversation(span: Span) -> Conversation:
    """Return the messages from the flattened attributes, else from the raw request and answer."""
    asked, asked_cut = _messages(span, ASKED, "input.value", "user")
    said, said_cut = _messages(span, SAID, "output.value", "assistant")
    return Conversation(asked.input, said.input, asked_cut or said_cut)


def _messages(span: Span, prefix: str, raw: str, role: Role) -> tuple[Conversation, bool]:
    flat = nested(span.attributes, prefix)
    is_cut = has_gap(span.attributes, prefix)
    whole = span.attributes.get(raw)
    if flat is None or (is_cut and parse_text(whole).is_truncated is False and whole):
        read = messages_in(whole, role)
        return read, read.is_truncated
    found = messages_in([_message(item.get("message", item)) for item in flat], role)
    return found, is_cut


def _message(fields: dict[str, Any]) -> dict[str, Any]:
    contents = fields.get("contents")
    parts = [content.get("message_content", content) for content in contents or ()]
    calls = [_call(call.get("tool_call", call)) for call in fields.get("tool_calls") or ()]
    if name := fields.get("function_call_name"):
        arguments = fields.get("function_call_arguments_json", "{}")
        calls.append({"id": "", "function": {"name": name, "arguments": arguments}})
    return {**fields, "content": fields.get("content", parts or None), "tool_calls": calls}


def _call(call: dict[str, Any]) -> dict[str, Any]:
    return {"id": call.get("id", ""), "function": call.get("function") or {}}


def tool_run(span: Span) -> ToolRun:
    """Return the tool's arguments and its answer, out of LangChain's wrapper if it is in one."""
    arguments = span.attributes.get("tool.parameters", span.attributes.get("input.value"))
    said = parse_text(span.attributes.get("output.value")).value
    if isinstance(said, dict) and isinstance(said.get("data"), dict):
        said = said["data"].get("content")
    return ToolRun(text_or_none(arguments), None if said is None else result_text(said))


def tools(span: Span) -> tuple[ToolSpec, ...]:
    """Return the tools that were offered."""
    listed = nested(span.attributes, "llm.tools")
    if listed is None:
        return tools_in(span.attributes.get("input.value"))
    schemas = [item.get("tool", item).get("json_schema") for item in listed]
    return read_tools(schemas)


OPENINFERENCE = Dialect(
    "openinference",
    kind,
    conversation,
    tool_run,
    tools,
    marks=frozenset((KIND,)),
)
