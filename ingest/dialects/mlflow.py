"""MLflow tracing: requests and responses of any provider in `mlflow.spanInputs` and `.spanOutputs`.

Source: mlflow 3.17.2. In its own JSON each value is JSON text once more; the decoder takes that off.
"""

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

TYPE, INPUTS, OUTPUTS = "mlflow.spanType", "mlflow.spanInputs", "mlflow.spanOutputs"
KINDS: dict[str, SpanKind] = {
    "CHAT_MODEL": "model", "LLM": "model", "TOOL": "tool", "AGENT": "agent",
}  # fmt: skip


def kind(span: Span) -> SpanKind | None:
    """Return what the span's type says."""
    value = span.attributes.get(TYPE)
    return KINDS.get(value.strip('"'), "other") if isinstance(value, str) else None


def conversation(span: Span) -> Conversation:
    """Return the messages of inputs and outputs."""
    asked = messages_in(span.attributes.get(INPUTS), "user")
    said = messages_in(span.attributes.get(OUTPUTS), "assistant")
    return Conversation(asked.input, said.input, asked.is_truncated or said.is_truncated)


def tool_run(span: Span) -> ToolRun:
    """Return the tool's inputs and outputs."""
    said = parse_text(span.attributes.get(OUTPUTS)).value
    return ToolRun(
        text_or_none(span.attributes.get(INPUTS)), None if said is None else result_text(said)
    )


def tools(span: Span) -> tuple[ToolSpec, ...]:
    """Return the tools as MLflow lists them, or as the request does."""
    return read_tools(span.attributes.get("mlflow.chat.tools")) or tools_in(
        span.attributes.get(INPUTS)
    )


MLFLOW = Dialect(
    "mlflow",
    kind,
    conversation,
    tool_run,
    tools,
    marks=frozenset((TYPE,)),
)
