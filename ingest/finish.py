"""Why a model stopped, in one vocabulary."""

from collections.abc import Mapping

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


def finish_reason(raw: object) -> FinishReason:
    """Return the reason that the text means; "unknown" for others and for none."""
    return REASONS.get(raw.lower(), "unknown") if isinstance(raw, str) else "unknown"
