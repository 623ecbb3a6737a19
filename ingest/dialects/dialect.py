"""Dialect: how one convention writes a model call and a tool call into a span's attributes."""

from collections.abc import Callable
from json import JSONDecodeError, JSONDecoder
from typing import Any, Literal, NamedTuple

import orjson
from pydantic import JsonValue

from tracemill.ingest.messages import read_messages
from tracemill.ingest.span import Span
from tracemill.ingest.trace import Message, Role, ToolSpec

SpanKind = Literal["model", "tool", "agent", "other"]


class Conversation(NamedTuple):
    """What a model call was given and what it answered."""

    input: tuple[Message, ...] = ()
    output: tuple[Message, ...] = ()
    is_truncated: bool = False
    """A part of it was cut off before it came here."""


class ToolRun(NamedTuple):
    """What a tool was given and what it answered; None where the span does not say."""

    arguments: str | None = None
    result: str | None = None


class Dialect(NamedTuple):
    """One convention, as functions of a span."""

    name: str
    kind: Callable[[Span], SpanKind | None]
    """What the span is; None: it is not written in this dialect."""
    conversation: Callable[[Span], Conversation]
    tool_run: Callable[[Span], ToolRun]
    tools: Callable[[Span], tuple[ToolSpec, ...]]
    """The tools that were offered to the model."""
    marks: frozenset[str] | None = None
    """A span without any of these attributes is written in another dialect; None: ask `kind`."""
    scope: str | None = None
    """Name of an instrumentation library whose spans are all written in it, marked or not."""
    history: str | None = None
    """Name of the attribute with the whole history as the JSON text of a list. A call whose history
    begins another's word for word need not be read: most of a trace's text is such repetition."""
    answer: Callable[[Span], tuple[Message, ...]] | None = None
    """What a call answered, read without its history."""
    repeated: tuple[str, ...] = ()
    """Attributes that are the same in each call: its instructions, its tools."""


def is_continued(told: Any, again: Any) -> bool:
    """Whether a call's history, the JSON text of a list, begins with an earlier call's."""
    if not isinstance(told, str) or not isinstance(again, str) or not told.endswith("]"):
        return False
    begun = len(told) - 1
    return again[begun : begun + 1] == "," and again.startswith(told[:begun])


class Parsed(NamedTuple):
    """JSON out of a text that may have been cut."""

    value: Any
    is_truncated: bool = False


def parse_text(raw: Any) -> Parsed:
    """Return the JSON that a text holds; of a list cut short its whole elements; else the text.

    >>> parse_text('[{"a": 1}, {"a": ')
    Parsed(value=[{'a': 1}], is_truncated=True)
    """
    if not isinstance(raw, str) or raw.lstrip()[:1] not in ("[", "{"):
        return Parsed(raw)
    try:
        return Parsed(orjson.loads(raw))
    except orjson.JSONDecodeError:
        elements = _whole_elements(raw) if raw.lstrip().startswith("[") else []
        return Parsed(elements or raw, is_truncated=True)


def _whole_elements(text: str) -> list[JsonValue]:
    elements: list[JsonValue] = []
    decoder, position = JSONDecoder(), text.index("[") + 1
    while True:
        position += len(text[position:]) - len(text[position:].lstrip(" \n\t\r,"))
        try:
            element, position = decoder.raw_decode(text, position)
        except (JSONDecodeError, RecursionError):
            return elements
        elements.append(element)


def messages_in(raw: Any, role: Role) -> Conversation:
    """Return the messages of an attribute, as the input of a Conversation, and whether it was cut.

    A text that is no JSON is one message of `role`.
    """
    parsed = parse_text(raw)
    try:
        return Conversation(read_messages(parsed.value, role=role), (), parsed.is_truncated)
    except (TypeError, KeyError, ValueError, AttributeError):
        # What is no conversation is kept as the text that it is.
        text = raw if isinstance(raw, str) else orjson.dumps(raw).decode()
        return Conversation((Message(role=role, content=text),), (), parsed.is_truncated)


def text_or_none(value: Any) -> str | None:
    """Return a text as it is and other JSON as JSON; None of None."""
    return value if value is None or isinstance(value, str) else orjson.dumps(value).decode()
