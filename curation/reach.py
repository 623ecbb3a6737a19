"""Reach: which rows are as good as the same, exactly or once case, blanks and ids are put aside."""

import hashlib
from collections.abc import Sequence

from tracemill.curation.arguments import call_key, words_of
from tracemill.ingest.trace import Message


def conversation_key(messages: Sequence[Message]) -> str:
    """Return a hash that is equal for conversations that say the same.

    Case, blanks and the ids of calls are put aside; system prompts are too, since they belong
    to the agent and not to what was asked.
    """
    lines = [line for message in messages if message.role != "system" for line in _lines(message)]
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()


def _lines(message: Message) -> list[str]:
    calls = [f"call {call_key(call)}" for call in message.tool_calls]
    return [f"{message.role} {words_of(message.content)}", *calls]
