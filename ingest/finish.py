"""Why a model stopped, in one vocabulary, from wherever a span says it."""

from collections.abc import Mapping
from typing import Any

from tracemill.ingest.dialects.attributes import value_of
from tracemill.ingest.dialects.dialect import parse_text
from tracemill.ingest.span import Span
from tracemill.ingest.trace import FinishReason

REASONS: Mapping[str, FinishReason] = {
    **dict.fromkeys(("stop", "end_turn", "stop_sequence", "completed", "eos", "eos_token"), "stop"),
    **dict.fromkeys(
        ("tool", "tool_calls", "tool_call", "tool-calls", "tool_use", "function_call"), "tool"
    ),
    **dict.fromkeys(
        ("length", "max_tokens", "model_context_window_exceeded", "max_output_tokens"), "length"
    ),
    **dict.fromkeys(
        ("refused", "content_filter", "content-filter", "refusal", "safety"), "refused"
    ),
    **dict.fromkeys(("error", "failed"), "error"),
}
"""What the providers write, by what it means."""

ANSWERS = (
    "gen_ai.output.messages", "mlflow.spanOutputs", "langsmith.outputs", "gen_ai.completion",
    "langfuse.observation.output", "gcp.vertex.agent.llm_response",
)  # fmt: skip
"""Attributes that hold a provider's answer as it came, where no attribute of its own says why."""
KEYS = ("finish_reason", "finishReason", "stop_reason", "stopReason")
INNER = ("choices", "generations", "candidates")
DETAILS = ("message", "generation_info", "response_metadata", "kwargs")
DEEPEST = 8
"""Levels of lists and objects between an answer and its reason: LangChain's need seven."""


def finish_reason(raw: object) -> FinishReason:
    """Return the reason that the text means; "unknown" for others and for none."""
    return REASONS.get(raw.lower(), "unknown") if isinstance(raw, str) else "unknown"


def finish_of(span: Span) -> FinishReason:
    """Return why the span's model call stopped: by its own attribute, its events, or its answer."""
    named = value_of(span, "finish")
    if isinstance(named, str):
        named = parse_text(named).value  # exports write lists as text
    if named is not None:
        return finish_reason(named[0] if isinstance(named, list) and named else named)
    for event in span.events:
        if event.name == "gen_ai.choice":
            body = event.body if isinstance(event.body, dict) else {}
            return finish_reason(body.get("finish_reason", event.attributes.get("finish_reason")))
    for name in ANSWERS:
        if (answer := span.attributes.get(name)) is not None:
            return finish_reason(_stated(parse_text(answer).value, DEEPEST))
    return "unknown"


def _stated(answer: Any, levels: int) -> Any:
    """Return the reason in a provider's answer, or in its first choice; None if it names none."""
    if isinstance(answer, list) and answer and levels:
        return _stated(answer[0], levels - 1)
    if not isinstance(answer, dict) or not levels:
        return None
    if answer.get("object") == "response":
        return _of_response(answer)
    if (said := next((answer[key] for key in KEYS if answer.get(key)), None)) is not None:
        # LangSmith's wrapper of JavaScript streams keeps the whole last chunk there
        return _stated(said, levels - 1) if isinstance(said, dict) else said
    inner = (_stated(answer.get(key), levels - 1) for key in (*INNER, *DETAILS))
    return next((said for said in inner if said is not None), None)


def _of_response(answer: Mapping[str, Any]) -> Any:
    """OpenAI's Responses name no reason of their own for calls of tools."""
    output = answer.get("output")
    last = output[-1] if isinstance(output, list) and output else None
    if isinstance(last, dict) and last.get("type") == "function_call":
        return "tool"
    details = answer.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, dict) else None
    return reason or answer.get("status")
