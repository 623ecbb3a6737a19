"""Google ADK: requests and responses of Gemini as JSON in `gcp.vertex.agent.*`.

Source: google-adk 1.12's telemetry.
"""

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
from tracemill.ingest.envelopes import tools_in
from tracemill.ingest.message_parts import result_text
from tracemill.ingest.span import Span
from tracemill.ingest.trace import ToolSpec

REQUEST, RESPONSE = "gcp.vertex.agent.llm_request", "gcp.vertex.agent.llm_response"
TOOL_ARGUMENTS, TOOL_RESPONSE = "gcp.vertex.agent.tool_call_args", "gcp.vertex.agent.tool_response"
SCOPE = "gcp.vertex.agent"


def kind(span: Span) -> SpanKind | None:
    """Return what the span is by the attributes that it has."""
    if REQUEST in span.attributes:
        return "model"
    if TOOL_ARGUMENTS in span.attributes:
        return "tool"
    return genai.kind(span) if span.scope == SCOPE else None


def conversation(span: Span) -> Conversation:
    """Return the contents of the request and of the response."""
    asked = messages_in(span.attributes.get(REQUEST), "user")
    said = messages_in(span.attributes.get(RESPONSE), "assistant")
    return Conversation(asked.input, said.input, asked.is_truncated or said.is_truncated)


def tool_run(span: Span) -> ToolRun:
    """Return the tool's arguments and its response."""
    said = parse_text(span.attributes.get(TOOL_RESPONSE)).value
    return ToolRun(
        text_or_none(span.attributes.get(TOOL_ARGUMENTS)),
        None if said is None else result_text(said),
    )


def tools(span: Span) -> tuple[ToolSpec, ...]:
    """Return the functions that the request declares."""
    return tools_in(span.attributes.get(REQUEST))


GOOGLE_ADK = Dialect(
    "google-adk", kind, conversation, tool_run, tools,
    marks=frozenset((REQUEST, TOOL_ARGUMENTS)), scope=SCOPE,
)  # fmt: skip
