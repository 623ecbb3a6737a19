"""Linking: each tool result to the call it answers, by id, else by name and order."""

import re
from collections.abc import Sequence

from tracemill.ingest.trace import Message, ToolCall

NUMBERED = re.compile(r"call_\d+_\d+")


def link_results(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return the messages with an id for each call, and that id and name in each result.

    Some dialects know no ids (ShareGPT, Gemini): these calls are numbered by their place.
    """
    waiting: list[ToolCall] = []
    linked: list[Message] = []
    for index, message in enumerate(messages):
        if message.tool_calls:
            numbered = _numbered(message, index)
            waiting += numbered.tool_calls
            linked.append(numbered)
        elif message.role == "tool":
            linked.append(_linked(message, waiting))
        else:
            linked.append(message)
    return tuple(linked)


def is_numbered(call_id: str) -> bool:
    """Whether a call has this id by its place, as the wire gave it none."""
    return NUMBERED.fullmatch(call_id) is not None


def _numbered(message: Message, index: int) -> Message:
    if all(call.id for call in message.tool_calls):
        return message
    calls = tuple(
        call if call.id else call.model_copy(update={"id": f"call_{index}_{number}"})
        for number, call in enumerate(message.tool_calls)
    )
    return message.model_copy(update={"tool_calls": calls})


def _linked(result: Message, waiting: list[ToolCall]) -> Message:
    call = _answered(result, waiting)
    if call is None:
        return result
    waiting.remove(call)
    if result.tool_call_id == call.id and result.name == call.name:
        return result
    return Message(  # many times faster than a copy
        role="tool",
        content=result.content,
        tool_call_id=call.id,
        name=call.name,
        is_error=result.is_error,
    )


def _answered(result: Message, waiting: Sequence[ToolCall]) -> ToolCall | None:
    """Return the call of the result's id, else the first of its name, else the first of all."""
    if result.tool_call_id is not None:
        by_id = next((call for call in waiting if call.id == result.tool_call_id), None)
        if by_id is not None:
            return by_id
    if result.name is not None:
        return next((call for call in waiting if call.name == result.name), None)
    return waiting[0] if waiting and result.tool_call_id is None else None
