"""Langfuse observations: over OTLP (SDK 3 and later), from ingestion batches, and from exports.

The content is whatever the traced framework passed: input and output are JSON of any provider's
form, or plain text. Source: langfuse SDK 5.0.4, REST API types of 3.15.0.
"""

from collections.abc import Mapping
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
USAGE, COST = "langfuse.observation.usage_details", "langfuse.observation.cost_details"
PROMPT = ("input", "promptTokens", "prompt_tokens", "input_tokens")
COMPLETION = ("output", "completionTokens", "completion_tokens", "output_tokens")
"""Langfuse's own names, and those of providers, whose usage it keeps as it came."""
TOOLS = (
    "gen_ai.tool.definitions", "ai.prompt.tools", "langfuse.observation.tools",
    "langfuse.observation.metadata.tools",
)  # fmt: skip
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
    for name in TOOLS:
        if found := read_tools(span.attributes.get(name)):
            return found
    return tools_in(span.attributes.get(ASKED)) or tools_in(span.attributes.get(SAID))


def tokens_in(details: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """Return the prompt's and the completion's tokens of usage details.

    Parts of both (from a cache, as reasoning) have keys of their own. Some integrations take them
    out of `input` and `output`: then all parts add up to the total.
    """
    sides = [[n for key, n in details.items() if key.startswith(s)] for s in ("input", "output")]
    total = details.get("total")
    if isinstance(total, int) and total == sum(n or 0 for side in sides for n in side):
        prompt, completion = (sum(n or 0 for n in side) if side else None for side in sides)
        return prompt, completion
    prompt, completion = (
        next((details[key] for key in keys if details.get(key) is not None), None)
        for keys in (PROMPT, COMPLETION)
    )
    return prompt, completion


def cost_in(details: Mapping[str, Any]) -> float | None:
    """Return what cost details add up to in US dollars; None if they name no cost."""
    costs = [cost for key, cost in details.items() if key != "total" and cost is not None]
    total = details.get("total")
    if total is None and not costs:
        return None
    return float(sum(costs) if total is None else total)


LANGFUSE = Dialect(
    "langfuse",
    kind,
    conversation,
    tool_run,
    tools,
    marks=frozenset((TYPE,)),
)
