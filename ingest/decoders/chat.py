"""Chat logs: one record is one whole conversation in OpenAI's form, or in any team's own JSON.

A mapping names where things are; without one they are looked for under their usual names.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast

import orjson
from pydantic import JsonValue

from tracemill.errors import InvalidRecordError
from tracemill.ingest.decoded import Context, Decoded, Episode
from tracemill.ingest.decoders.message_steps import last_step, steps_in
from tracemill.ingest.decoders.paths import joined_at, share_at, text_at, value_at
from tracemill.ingest.decoders.turn_lists import messages_of
from tracemill.ingest.linking import link_results
from tracemill.ingest.mapping import FieldMapping
from tracemill.ingest.messages import read_messages
from tracemill.ingest.times import FIRST_SANE, read_time
from tracemill.ingest.tools import read_tools
from tracemill.ingest.trace import (
    ExpectedCall,
    Message,
    ModelRef,
    Outcome,
    SourceRange,
    Trace,
)
from tracemill.record import content_id

USUAL: Mapping[str, tuple[str, ...]] = {
    "id": ("trace_id", "conversation_id", "id", "request_id"),
    "reward": ("reward",),
    "label": ("label",),
    "error": ("error",),
    "task": ("task", "task_id"),
    "user": ("user_id", "user", "metadata.user_id"),
    "tenant": ("tenant_id", "tenant", "metadata.tenant_id"),
    "session": ("session_id", "thread_id", "conversation_id", "metadata.session_id"),
    "agent": ("agent", "agent_name"),
    "model": ("model", "response.model", "request.model"),
    "model_version": ("model_version",),
    "started_at": ("started_at", "created_at", "timestamp", "created", "response.created"),
    "ended_at": ("ended_at", "finished_at"),
    "tools": ("tools", "request.tools", "functions"),
}
"""Where chat logs keep what a mapping would name; the first that is there."""

WHOLE, AROUND = "*", "^"
"""In a mapping: the record itself, as the place of its episodes; the record around an element."""


def decode_mapped(value: JsonValue, context: Context) -> Decoded:
    """Return the trace of a record in the team's own JSON, by the mapping of its topic."""
    mapping = context.topic.mapping
    if mapping is None:
        raise InvalidRecordError("decoder 'mapped' needs a mapping for this topic in the settings")
    decoded = Decoded("mapped")
    if mapping.records is None:
        decoded.episodes.append(_mapped(value, mapping, context))
        return decoded
    records: Any = value if mapping.records == WHOLE else value_at(value, mapping.records)
    named = records.items() if isinstance(records, dict) else enumerate(records or ())
    for name, element in named:
        with decoded.part(f"{mapping.records}[{name}]"):
            decoded.episodes.append(_mapped(_placed(element, value, mapping), mapping, context))
    return decoded


def _placed(element: JsonValue, around: JsonValue, mapping: FieldMapping) -> JsonValue:
    """Return the element, with the record around it where a path of the mapping leads there."""
    leads_out = f'"{AROUND}.' in mapping.to_json()
    return {**element, AROUND: around} if leads_out and isinstance(element, dict) else element


def _mapped(value: JsonValue, mapping: FieldMapping, context: Context) -> Episode:
    turns = mapping.turns
    raw: JsonValue = (
        value_at(value, mapping.messages) if turns is None else [*messages_of(value, turns)]
    )
    messages = read_messages(raw)
    if not messages:
        raise InvalidRecordError(f"no messages at {turns.actions if turns else mapping.messages!r}")
    return _with_usage(episode(value, messages, mapping, context, "mapped"), None, raw)


def decode_chat(value: JsonValue, context: Context) -> Decoded:
    """Return the trace of a chat log with the messages of a request, and perhaps its response."""
    raw = value_at(value, "messages") or value_at(value, "request.messages")
    messages = read_messages(raw)
    system = value_at(value, "system")
    if system:
        messages = (*read_messages(system, role="system"), *messages)
    answer = answer_of(value)
    messages = (*messages, *read_messages(answer, role="assistant"))
    if not messages:
        raise InvalidRecordError("a chat log without messages")
    mapping = usual_mapping(value)
    made = episode(value, messages, mapping, context, "chat")
    return Decoded("chat", episodes=[_with_usage(made, value, raw)])


def usual_mapping(value: JsonValue) -> FieldMapping:
    """Return the mapping that names the usual fields which this record has."""
    found = {
        field: next((path for path in paths if _is_scalar(value, path, field)), None)
        for field, paths in USUAL.items()
    }
    return FieldMapping.model_validate(found)


def _is_scalar(value: JsonValue, path: str, field: str) -> bool:
    at = value_at(value, path)
    return at is not None and (field == "tools" or not isinstance(at, dict | list))


def answer_of(value: JsonValue) -> JsonValue:
    """Return the message that a response beside the request holds; None if there is none."""
    for path in ("choices.0.message", "response.choices.0.message", "response.message"):
        if (answer := value_at(value, path)) is not None:
            return cast(JsonValue, answer)
    response = value_at(value, "response")
    if isinstance(response, str):
        return response
    if isinstance(response, dict) and "content" in response:
        return {**response, "role": "assistant"}
    return None


def episode(
    value: JsonValue,
    messages: tuple[Message, ...],
    mapping: FieldMapping,
    context: Context,
    dialect: str,
) -> Episode:
    """Return the trace of a record that is one whole episode.

    Raises InvalidRecordError where a field is not what the mapping says.
    """
    started_at = _sane(read_time(value_at(value, mapping.started_at)))
    user, tenant = text_at(value, mapping.user), text_at(value, mapping.tenant)
    record = context.record
    trace = Trace(
        id=joined_at(value, mapping.id) or _sent_id(context) or _opening_id(messages),
        session_id=text_at(value, mapping.session),
        user_id=None if user is None else context.redactor.pseudonym(user),
        tenant_id=None if tenant is None else context.redactor.pseudonym(tenant, "tenant"),
        agent=text_at(value, mapping.agent) or "agent",
        model=ModelRef(
            name=text_at(value, mapping.model) or "unknown",
            version=text_at(value, mapping.model_version),
        ),
        messages=link_results(messages),
        tools=read_tools(value_at(value, mapping.tools)),
        outcome=_outcome(value, mapping),
        task=text_at(value, mapping.task),
        environment_state=value_at(value, mapping.environment_state),
        started_at=started_at or context.record_time,
        ended_at=_sane(read_time(value_at(value, mapping.ended_at))),
        has_content=any(message.content or message.tool_calls for message in messages),
        dialect=dialect,
        sources=(SourceRange(topic=record.topic, partition=record.partition,
                             first_offset=record.offset, last_offset=record.offset),),
    )  # fmt: skip
    is_guess = mapping.id is None and _sent_id(context) is None
    own = {k: v for k, v in value.items() if k != AROUND} if isinstance(value, dict) else value
    return Episode(trace, _aliases(value, trace), content_id("trace", own) if is_guess else None)


def _sane(time: datetime | None) -> datetime | None:
    return time if time is not None and time >= FIRST_SANE else None


def _sent_id(context: Context) -> str | None:
    """Return the id that the record was sent under: its trace context's, or its key."""
    traceparent = (context.record.header("traceparent") or b"").decode("latin-1").split("-")
    if len(traceparent) == 4 and len(traceparent[1]) == 32:
        return traceparent[1]
    if context.record.key:
        return context.redactor.text(context.record.key.decode("utf-8", "replace"))
    return None


def _opening_id(messages: tuple[Message, ...]) -> str:
    """Return an id by how the conversation opens, to its first answer.

    Logs without ids repeat the history with each request: the longest of those that continue each
    other is the trace.
    """
    first = next((i for i, m in enumerate(messages) if m.role == "assistant"), len(messages))
    return content_id("trace", [message.model_dump() for message in messages[: first + 1]])


def _outcome(value: JsonValue, mapping: FieldMapping) -> Outcome:
    error = value_at(value, mapping.error)
    return Outcome(
        reward=share_at(value, mapping.reward, mapping.max_reward),
        label=text_at(value, mapping.label),
        error=(error if isinstance(error, str) else orjson.dumps(error).decode())
        if error
        else None,
        expected_calls=tuple(
            ExpectedCall(name=call["name"], arguments=call.get("arguments", call.get("kwargs", {})))
            for call in value_at(value, mapping.expected_calls) or ()
        ),
    )


def _aliases(value: JsonValue, trace: Trace) -> tuple[str, ...]:
    paths = ("id", "request_id", "response_id", "run_id", "response.id", "trace_id")
    found = {value_at(value, path) for path in paths if isinstance(value_at(value, path), str)}
    return tuple(sorted(found - {trace.id}))


def _with_usage(made: Episode, value: JsonValue, raw: JsonValue) -> Episode:
    """Add what is said of each message's call, and what the response says of the last one."""
    trace = made.trace
    steps = steps_in(raw, trace.messages)
    last = len(trace.messages) - 1
    is_answered = trace.messages[last].role == "assistant"
    if is_answered and (step := last_step(value, last)) is not None:
        steps = (*(one for one in steps if one.message != last), step)
    is_cut = bool(steps) and steps[-1].message == last and steps[-1].finish_reason == "length"
    update = {"steps": steps, "is_truncated": is_cut}
    return made._replace(trace=trace.model_copy(update=update)) if steps else made
