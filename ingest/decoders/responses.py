"""OpenAI's Responses API: a response, with its request's input where the log has it.

A response repeats nothing of what came before `previous_response_id`; only what is in the record
can be read. Source: openai SDK 3.57.0.
"""

from typing import Any

from tracemill.errors import InvalidRecordError
from tracemill.ingest.decoded import Context, Decoded, Episode
from tracemill.ingest.decoders.chat import episode, usual_mapping
from tracemill.ingest.decoders.paths import value_at
from tracemill.ingest.finish import finish_reason
from tracemill.ingest.messages import read_messages
from tracemill.ingest.trace import Message, Step, Trace
from tracemill.record import content_id

Fields = dict[str, Any]
ROLLOUT = "responses_create_params"
"""Key under which a rollout of NeMo Gym keeps its request."""
REQUESTS = ("request", ROLLOUT)
"""Keys beside a response under which logs keep its request."""


def is_responses(value: Fields) -> bool:
    """Whether it is a response, alone or beside its request."""
    response = value.get("response")
    inner = response if isinstance(response, dict) else value
    return inner.get("object") == "response" and isinstance(inner.get("output"), list)


def decode_responses(value: Fields, context: Context) -> Decoded:
    """Return the trace that request and response tell."""
    response: Fields = value if value.get("object") == "response" else value["response"]
    request = _request(value, response)
    messages = (
        *_instructions(request, response),
        *read_messages(request.get("input")),
        *read_messages(response["output"], role="assistant"),
    )
    if not messages:
        raise InvalidRecordError("a response without messages")
    tools = request.get("tools") or response.get("tools")
    flat = {"model": response.get("model"), "created": response.get("created_at"), **value}
    flat |= {"tools": tools or [], "error": _failure(response)}
    if ROLLOUT in value:
        flat |= _of_rollout(value, flat["error"])
    flat.setdefault("conversation_id", _conversation(response))
    if "id" not in value:
        flat["id"] = response.get("id") if value is response else None
    made = episode(flat, messages, usual_mapping(flat), context, "openai-responses")
    aliases = (*made.aliases, str(response.get("id") or made.trace.id))
    return Decoded("responses", episodes=[Episode(_with_usage(made.trace, response), aliases)])


def _request(value: Fields, response: Fields) -> Fields:
    for name in REQUESTS:
        if isinstance(value.get(name), dict):
            return dict(value[name])
    return {"input": value.get("input") if value is not response else response.get("input")}


def _of_rollout(value: Fields, failure: Any) -> Fields:
    """Return what a rollout of NeMo Gym says of itself.

    All ids in it, and how it opens, may be shared by all tries of a task: its content tells it
    from them. What says that a reward means nothing is the harness's failure.
    """
    metadata = value[ROLLOUT].get("metadata") or {}
    masked = "the harness masked this sample" if value.get("mask_sample") is True else None
    return {
        "trace_id": content_id("trace", value),
        "agent": (value.get("agent_ref") or {}).get("name"),
        "task": value.get("task") or metadata.get("instance_id") or value.get("id"),
        "error": failure or value.get("error_kind") or value.get("evaluation_error") or masked,
    }


def _instructions(request: Fields, response: Fields) -> tuple[Message, ...]:
    text = request.get("instructions") or response.get("instructions")
    return () if not text else read_messages(text, role="system")


def _conversation(response: Fields) -> str | None:
    conversation = response.get("conversation")
    if isinstance(conversation, dict):
        return conversation.get("id")
    return conversation if isinstance(conversation, str) else None


def _failure(response: Fields) -> Any:
    """Return the provider's failure; a response that was merely cut short is none."""
    if response.get("status") == "failed" or response.get("error"):
        return response.get("error") or "the response failed"
    return None


def _with_usage(trace: Trace, response: Fields) -> Trace:
    last = max((i for i, m in enumerate(trace.messages) if m.role == "assistant"), default=None)
    if last is None:
        return trace
    usage = response.get("usage") or {}
    reason = value_at(response, "incomplete_details.reason") or response.get("status")
    step = Step(
        message=last,
        prompt_tokens=usage.get("input_tokens"),
        completion_tokens=usage.get("output_tokens"),
        finish_reason="tool" if trace.messages[last].tool_calls else finish_reason(reason),
    )
    update = {"steps": (step,), "is_truncated": finish_reason(reason) == "length"}
    return trace.model_copy(update=update)
