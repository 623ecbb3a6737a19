"""Grounding: could the agent have known what the reference says, at the step that failed?

A reference from later in the episode, or from somebody's list of expected calls, may hold a
value that the conversation had not shown yet. Taught as the right call, it would teach the
agent to invent. Such references are refused.
"""

import re
from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from tracemill.ingest.trace import Message

_NOT_ALNUM = re.compile(r"[\W_]+")
_SMALL = 100
"""Numbers below this may be counted by the agent itself ("three bags")."""


def ungrounded_values(
    reference: Message, failing: Message, prefix: Sequence[Message]
) -> tuple[str, ...]:
    """Return the values of the reference's calls that neither the prefix nor the agent's own
    failing calls hold."""
    own = {_plain(value) for value in _leaves_of(failing)}
    shown = _shown(prefix)
    return tuple(
        value
        for value in _leaves_of(reference)
        if _plain(value) not in own and not _is_shown(value, shown)
    )


def _is_shown(value: str, shown: str) -> bool:
    if _is_small(value):
        return True
    words = _plain(value)
    return not words or f" {words} " in shown


def _is_small(value: str) -> bool:
    try:
        return abs(float(value)) < _SMALL
    except ValueError:
        return False


def _shown(prefix: Sequence[Message]) -> str:
    texts = [message.content or "" for message in prefix]
    texts += [call.arguments for message in prefix for call in message.tool_calls]
    return f" {_plain(' '.join(texts))} "


def _plain(text: str) -> str:
    """Lower case words and numbers with single blanks: "one_way" is "one-way" is "One way"."""
    return _NOT_ALNUM.sub(" ", text.casefold()).strip()


def _leaves_of(message: Message) -> list[str]:
    return [leaf for call in message.tool_calls for leaf in _leaves(call.parsed())]


def _leaves(value: JsonValue) -> Iterator[str]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, str):
        yield value
    elif value is not None and not isinstance(value, bool):
        yield str(int(value)) if value == int(value) else str(value)
