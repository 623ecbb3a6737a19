"""Traceloop / OpenLLMetry before 0.55: prompts and completions flattened into attributes.

Newer versions write the GenAI conventions. Source: openllmetry 0.40.14. A call has no `function`
level here, parts of a content are a JSON text, and an entity's input may be cut within its JSON.
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
from tracemill.ingest.message_parts import result_text
from tracemill.ingest.span import Span
from tracemill.ingest.tools import read_tools
from tracemill.ingest.trace import Role, ToolSpec

KINDS: dict[str, SpanKind] = {
    "tool": "tool",
    "agent": "agent",
    "workflow": "other",
    "task": "other",
}
ASKED, SAID = "gen_ai.prompt", "gen_ai.completion"


def kind(span: Span) -> SpanKind | None:
    """Return what the span is: an entity of the given kind, or a model call."""
    entity = span.attributes.get("traceloop.span.kind")
    if isinstance(entity, str):
        return KINDS.get(entity, "other")
    if "llm.request.type" in span.attributes:
        return "model" if span.attributes["llm.request.type"] in ("chat", "completion") else "other"
    is_flat = f"{ASKED}.0.role" in span.attributes or f"{SAID}.0.role" in span.attributes
    return "model" if is_flat else None


def conversation(span: Span) -> Conversation:
    """Return the messages of the flattened attributes; of an agent its entity's input and output."""
    if kind(span) != "model":
        asked = messages_in(_entity(span, "input"), "user")
        said = messages_in(_entity(span, "output"), "assistant")
        return Conversation(asked.input, said.input, asked.is_truncated or said.is_truncated)
    is_cut = has_gap(span.attributes, ASKED) or has_gap(span.attributes, SAID)
    return Conversation(_messages(span, ASKED, "user"), _messages(span, SAID, "assistant"), is_cut)


def _messages(span: Span, prefix: str, role: Role) -> Any:
    flat = nested(span.attributes, prefix) or []
    return messages_in(
        [{**item, "content": _content(item.get("content"))} for item in flat], role
    ).input


def _content(raw: Any) -> Any:
    """Return the parts that a content of several is written as, else the text."""
    if isinstance(raw, str) and raw.startswith("[{") and '"type"' in raw:
        parsed = parse_text(raw)
        return raw if parsed.is_truncated else parsed.value
    return raw


def _entity(span: Span, side: str) -> Any:
    value = parse_text(span.attributes.get(f"traceloop.entity.{side}")).value
    if isinstance(value, dict) and ("args" in value or "kwargs" in value):
        return value.get("kwargs") or (value.get("args") or [None])[0]
    return value


def tool_run(span: Span) -> ToolRun:
    """Return the entity's keyword arguments and its output."""
    said = _entity(span, "output")
    return ToolRun(
        text_or_none(_entity(span, "input")), None if said is None else result_text(said)
    )


def tools(span: Span) -> tuple[ToolSpec, ...]:
    """Return the functions that were offered; their parameters are JSON text."""
    offered = nested(span.attributes, "llm.request.functions") or []
    return read_tools(
        [{**item, "parameters": parse_text(item.get("parameters")).value} for item in offered]
    )


OPENLLMETRY = Dialect(
    "openllmetry",
    kind,
    conversation,
    tool_run,
    tools,
    marks=frozenset(
        ("traceloop.span.kind", "llm.request.type", f"{ASKED}.0.role", f"{SAID}.0.role")
    ),
)
