"""Transcript: messages as a person reads them."""

from collections.abc import Sequence

from tracemill.ingest.trace import Message

_MOST = 4000


def in_words(message: Message) -> str:
    """Return the message's text and calls, without its role."""
    calls = [f"→ {call.name}({call.arguments})" for call in message.tool_calls]
    text = "\n".join(filter(None, [message.content, *calls])) or "(nothing)"
    return text if len(text) <= _MOST else f"{text[:_MOST]}… ({len(text) - _MOST} characters more)"


def transcript(messages: Sequence[Message]) -> str:
    """Return the conversation, a paragraph for each message."""
    return "\n\n".join(f"[{message.role}] {in_words(message)}" for message in messages)
