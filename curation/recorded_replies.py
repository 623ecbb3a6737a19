"""Recorded replies: an environment made of one trace, where there is no other.

A call that the trace made gets the reply that it got there, repeated calls one reply after the
other. A call that was never recorded has no reply: the rollout is unscorable, not wrong.
"""

from collections import defaultdict

import orjson
from pydantic import JsonValue

from tracemill.curation.arguments import call_key
from tracemill.curation.calls import calls_of, error_text
from tracemill.curation.environment import ToolReply
from tracemill.errors import EnvironmentFailedError, UnrecordedCallError
from tracemill.ingest.trace import Message, ToolCall, ToolSpec, Trace
from tracemill.record import Record

FACTORY = "tracemill.curation.recorded_replies:RecordedReplies"


class _Reply(Record):
    call: str
    """Tool and canonical arguments."""
    content: str
    is_error: bool


class _Recording(Record):
    tools: tuple[ToolSpec, ...]
    replies: tuple[_Reply, ...]


def recorded_state(trace: Trace) -> JsonValue:
    """Return the state that RecordedReplies is set up from: the trace's tools and replies.

    Replies that are outages are left out: they tell nothing of the world.
    """
    replies = [
        _Reply(
            call=call_key(made.call),
            content=made.reply.content or "",
            is_error=_is_error(made.reply),
        )
        for made in calls_of(trace.messages)
        if made.reply is not None and not made.met_an_outage
    ]
    recording = _Recording(tools=trace.tools, replies=tuple(replies))
    state: JsonValue = recording.model_dump(mode="json")
    return state


def _is_error(reply: Message) -> bool:
    return error_text(reply) is not None


class RecordedReplies:
    """An Environment that answers as one trace did. It knows no verdict."""

    def __init__(self) -> None:
        self._tools: tuple[ToolSpec, ...] = ()
        self._replies: defaultdict[str, list[ToolReply]] = defaultdict(list)

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools that the trace was offered."""
        return self._tools

    def reset(self, state: JsonValue) -> None:
        """Set up from what `recorded_state` returned."""
        recording = _Recording.model_validate(state)
        self._tools = recording.tools
        self._replies = defaultdict(list)
        for reply in recording.replies:
            self._replies[reply.call].append(ToolReply(reply.content, reply.is_error))

    def call(self, name: str, arguments: dict[str, JsonValue]) -> ToolReply:
        """Return the next recorded reply to this call; the last one again where there is no other.

        Raises UnrecordedCallError where the trace never made the call.
        """
        text = orjson.dumps(arguments).decode()
        key = call_key(ToolCall(id="", name=name, arguments=text))
        replies = self._replies.get(key)
        if not replies:
            raise UnrecordedCallError(
                f"the trace never called {name!r} with these arguments: nobody knows the reply"
            )
        return replies.pop(0) if len(replies) > 1 else replies[0]

    def verdict(self) -> float:
        """Raise EnvironmentFailedError: recorded replies cannot judge."""
        raise EnvironmentFailedError("recorded replies hold no verdict: check calls instead")
