"""LangSmith: runs, from its batches and from its OTel export.

A batch's run keeps its inputs and outputs as JSON; the export writes them to `gen_ai.prompt` and
`gen_ai.completion`. Source: langsmith SDK 0.15.1.
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
from tracemill.ingest.trace import ToolSpec

KIND = "langsmith.span.kind"
INPUTS, OUTPUTS = ("langsmith.inputs", "gen_ai.prompt"), ("langsmith.outputs", "gen_ai.completion")
KINDS: dict[str, SpanKind] = {"llm": "model", "tool": "tool"}


def kind(span: Span) -> SpanKind | None:
    """Return what the run's type says."""
    value = span.attributes.get(KIND)
    return KINDS.get(value, "other") if isinstance(value, str) else None


def _first(span: Span, names: tuple[str, ...]) -> Any:
    return next((span.attributes[name] for name in names if name in span.attributes), None)


def conversation(span: Span) -> Conversation:
    """Return the messages of inputs and outputs."""
    asked = messages_in(_first(span, INPUTS), "user")
    said = messages_in(_first(span, OUTPUTS), "assistant")
    return Conversation(asked.input, said.input, asked.is_truncated or said.is_truncated)


def tool_run(span: Span) -> ToolRun:
    """Return the tool's input and its output."""
    given = parse_text(_first(span, INPUTS)).value
    said = parse_text(_first(span, OUTPUTS)).value
    if isinstance(given, dict) and set(given) == {"input"}:
        given = given["input"]
    if isinstance(said, dict) and set(said) == {"output"}:
        said = said["output"]
    return ToolRun(text_or_none(given), None if said is None else result_text(said))


def tools(span: Span) -> tuple[ToolSpec, ...]:
    """Return the tools of the request, or of the call's parameters."""
    parameters = span.attributes.get("langsmith.metadata.ls_invocation_params")
    return (
        tools_in(_first(span, INPUTS))
        or tools_in(parameters)
        or read_tools(span.attributes.get("gen_ai.tool.definitions"))
    )


LANGSMITH = Dialect(
    "langsmith",
    kind,
    conversation,
    tool_run,
    tools,
    marks=frozenset((KIND,)),
)
