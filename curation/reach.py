"""Reach: which conversations are as good as the same, exactly or nearly.

System prompts are put aside: they belong to the agent and not to what was asked.
"""

import hashlib
from collections.abc import Iterator, Sequence

from tracemill.curation.arguments import call_key, words_of
from tracemill.ingest.trace import Message

_WORDS = 6


def conversation_key(messages: Sequence[Message]) -> str:
    """Return a hash that is equal for conversations that say the same.

    Case, blanks and the ids of calls are put aside.
    """
    lines = (line for message in messages for line in _lines(message))
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()


def beginning_of(messages: Sequence[Message]) -> tuple[int, tuple[str, ...]]:
    """Return a cheap key that is equal for conversations that say the same, and rarely for others.

    It is how many messages there are and how the last one begins: only conversations that share
    it need their full keys compared.
    """
    said = [message for message in messages if message.role != "system"]
    first_words = (said[-1].content or "").split(None, _WORDS)[:_WORDS] if said else []
    return len(said), tuple(word.casefold() for word in first_words)


def _lines(message: Message) -> Iterator[str]:
    if message.role == "system":
        return
    yield f"{message.role} {words_of(message.content)}"
    for call in message.tool_calls:
        yield f"call {call_key(call)}"


def conversation_text(messages: Sequence[Message]) -> str:
    """Return what the conversation says, as near-duplicates are looked for in it."""
    said = [message.content or "" for message in messages if message.role != "system"]
    called = [f"{call.name} {call.arguments}" for m in messages for call in m.tool_calls]
    return "\n".join((*said, *called))
