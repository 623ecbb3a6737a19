"""Linking: each tool result to the call it answers, by id, else by name and order."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from tracemill.ingest.trace import Message, ToolCall

NUMBERED = re.compile(r"call_\d+_\d+")


class Linked(NamedTuple):
    """Messages whose calls all have ids, and what each result answers."""

    messages: tuple[Message, ...]
    calls: tuple[ToolCall | None, ...]
    """For each message: the call whose result it is; None of no result, and of one to no call."""


def link_results(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return the messages with an id for each call, and that id and name in each result.

    Some dialects know no ids (ShareGPT, Gemini): these calls are numbered by their place.
    """
    linked = linked_calls(messages)
    return tuple(
        message if call is None else result_of(call, message, message.is_error)
        for message, call in zip(linked.messages, linked.calls, strict=True)
    )


def linked_calls(messages: Sequence[Message]) -> Linked:
    """Return the messages with an id for each call, and the call that each result answers."""
    waiting: list[ToolCall] = []
    numbered: list[Message] = []
    answered: list[ToolCall | None] = []
    for index, message in enumerate(messages):
        call = _answered(message, waiting) if message.role == "tool" else None
        if call is not None:
            waiting.remove(call)
        numbered.append(_numbered(message, index) if message.tool_calls else message)
        waiting += numbered[-1].tool_calls
        answered.append(call)
    return Linked(tuple(numbered), tuple(answered))


def result_of(call: ToolCall, result: Message, is_error: bool | None) -> Message:
    """Return the result with the id and name of its call."""
    if (result.tool_call_id, result.name, result.is_error) == (call.id, call.name, is_error):
        return result
    return Message(  # many times faster than a copy
        role="tool",
        content=result.content,
        tool_call_id=call.id,
        name=call.name,
        is_error=is_error,
    )


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


def _answered(result: Message, waiting: Sequence[ToolCall]) -> ToolCall | None:
    """Return the call of the result's id, else the first of its name, else the first of all."""
    if result.tool_call_id is not None:
        by_id = next((call for call in waiting if call.id == result.tool_call_id), None)
        if by_id is not None:
            return by_id
    if result.name is not None:
        return next((call for call in waiting if call.name == result.name), None)
    return waiting[0] if waiting and result.tool_call_id is None else None
