"""Calls: the tool calls of a conversation, each with the reply it got.

Replies are found by id among the tool messages that follow the call at once: recorded traces
use one id for several calls of an episode. Errors are told by the wire's word (`is_error`),
else by how the reply's text begins.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import orjson
from pydantic import JsonValue

from tracemill.curation.arguments import call_key
from tracemill.curation.infrastructure import names_an_outage
from tracemill.ingest.trace import Message, ToolCall

# `# var_0 = "Error: …"` is how code agents print a failed call
_ERROR_TEXT = re.compile(
    r"\s*(?:#?\s*\w+\s*=\s*)?[\"']?(?:tool )?(?:\w*error|\w*exception|traceback|http(?:/\S+)? [45]\d\d"
    r"|5\d\d (?:internal|bad|service|gateway))\b",
    re.IGNORECASE,
)

_ERROR_WORDS = ("error", "exception", "traceback", "http", "internal", "bad", "service", "gateway")
"""One of them stands in every text that the pattern above matches; looking for it is cheaper."""
_HEAD = 200


@dataclass(frozen=True)
class MadeCall:
    """One tool call and what came of it."""

    step: int
    """Index of the assistant message that makes it."""
    call: ToolCall
    reply: Message | None
    """None where the conversation holds none."""

    @cached_property
    def error(self) -> str | None:
        """The reply's text if it is an error, else None."""
        return None if self.reply is None else error_text(self.reply)

    @cached_property
    def key(self) -> str:
        """Equal for equal calls."""
        return call_key(self.call)

    @cached_property
    def arguments(self) -> dict[str, JsonValue] | None:
        """The call's arguments, None if they are no JSON object."""
        return self.call.parsed()

    @cached_property
    def met_an_outage(self) -> bool:
        """Whether the reply is an error that names an outage."""
        return self.error is not None and names_an_outage(self.error)

    @property
    def has_succeeded(self) -> bool:
        """Whether there is a reply, and no error."""
        return self.reply is not None and self.error is None


def calls_of(messages: Sequence[Message]) -> tuple[MadeCall, ...]:
    """Return every tool call of the conversation, in order, with its reply."""
    return tuple(
        made
        for index, message in enumerate(messages)
        if message.tool_calls
        for made in _calls_at(index, messages)
    )


def outage_in(messages: Sequence[Message]) -> str | None:
    """Return the first tool reply of the conversation that is an error naming an outage, or None."""
    return next((made.error for made in calls_of(messages) if made.met_an_outage), None)


def _calls_at(index: int, messages: Sequence[Message]) -> list[MadeCall]:
    unused = _replies_after(index, messages)
    made = []
    for call in messages[index].tool_calls:
        reply = next((reply for reply in unused if reply.tool_call_id == call.id), None)
        if reply is None and unused and unused[0].tool_call_id is None:
            reply = unused[0]  # some logs carry no ids: replies come in the calls' order
        if reply is not None:
            unused.remove(reply)
        made.append(MadeCall(step=index, call=call, reply=reply))
    return made


def _replies_after(index: int, messages: Sequence[Message]) -> list[Message]:
    replies = []
    for message in messages[index + 1 :]:
        if message.role != "tool":
            break
        replies.append(message)
    return replies


def error_text(reply: Message) -> str | None:
    """Return the text of a tool's reply if it is an error, else None."""
    content = reply.content or ""
    if reply.is_error is not None:
        return (content or "the tool reports an error without a word") if reply.is_error else None
    head = content[:_HEAD].casefold()
    if any(word in head for word in _ERROR_WORDS) and _ERROR_TEXT.match(content):
        return content
    return _error_in_body(content)


def _error_in_body(content: str) -> str | None:
    """The error of a JSON body: `{"error": …}`, `{"status": "error", …}`."""
    if not content.lstrip().startswith("{") or "error" not in content[:4000].casefold():
        return None
    try:
        body: JsonValue = orjson.loads(content)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(body, dict):
        return None
    if body.get("error"):
        return content
    return content if str(body.get("status", "")).casefold() == "error" else None
