"""Anthropic's Messages API: a request with its system prompt apart, and its response.

Tool results are blocks of the next user message. `input_tokens` leaves out what was cached, which
others count in. Source: anthropic SDK 2.14.0.
"""

from typing import Any

from tracemill.errors import InvalidRecordError
from tracemill.ingest.decoded import Context, Decoded, Episode
from tracemill.ingest.decoders.chat import episode, usual_mapping
from tracemill.ingest.finish import finish_reason
from tracemill.ingest.messages import read_messages
from tracemill.ingest.trace import Step

Fields = dict[str, Any]
BLOCKS = ("tool_use", "tool_result", "thinking", "server_tool_use")
INPUT_TOKENS = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


def is_anthropic(value: Fields) -> bool:
    """Whether it is a response of Anthropic's, or a request with its blocks."""
    response = value.get("response")
    if _is_response(value) or (isinstance(response, dict) and _is_response(response)):
        return True
    request = value["request"] if isinstance(value.get("request"), dict) else value
    messages = request.get("messages")
    return isinstance(messages, list) and any(
        isinstance(block, dict) and block.get("type") in BLOCKS
        for message in messages
        if isinstance(message, dict) and isinstance(message.get("content"), list)
        for block in message["content"]
    )


def _is_response(value: Fields) -> bool:
    return value.get("type") == "message" and "stop_reason" in value


def decode_anthropic(value: Fields, context: Context) -> Decoded:
    """Return the trace that request and response tell."""
    response: Fields = value if _is_response(value) else value.get("response") or {}
    request: Fields = value["request"] if isinstance(value.get("request"), dict) else value
    asked = request.get("messages") or [] if request is not response else []
    system = request.get("system") if request is not response else None
    messages = (
        *(read_messages([{"role": "system", "content": system}]) if system else ()),
        *read_messages(asked),
        *(read_messages([{**response, "role": "assistant"}]) if response.get("content") else ()),
    )
    if not messages:
        raise InvalidRecordError("a message log without messages")
    flat = {"tools": request.get("tools") or [], "model": response.get("model"), **value}
    made = episode(flat, messages, usual_mapping(flat), context, "anthropic")
    aliases = (*made.aliases, *([response["id"]] if response.get("id") else ()))
    return Decoded("anthropic", episodes=[_with_usage(Episode(made.trace, aliases), response)])


def _with_usage(made: Episode, response: Fields) -> Episode:
    usage = response.get("usage") or {}
    last = len(made.trace.messages) - 1
    if not response or made.trace.messages[last].role != "assistant":
        return made
    step = Step(
        message=last,
        prompt_tokens=sum(usage.get(name) or 0 for name in INPUT_TOKENS) if usage else None,
        completion_tokens=usage.get("output_tokens"),
        finish_reason=finish_reason(response.get("stop_reason")),
    )
    update = {"steps": (step,), "is_truncated": step.finish_reason == "length"}
    return made._replace(trace=made.trace.model_copy(update=update))
