"""Recovery: a refused call and the agent's own later call of the same tool that went through."""

from collections.abc import Sequence
from typing import NamedTuple

from tracemill.curation.arguments import differing_arguments
from tracemill.curation.calls import MadeCall
from tracemill.ingest.trace import Message


class Recovery(NamedTuple):
    """What was refused, and what mended it."""

    refused: MadeCall
    mended: MadeCall

    @property
    def is_about_the_same(self) -> bool:
        """Whether the calls share an argument, where they have several."""
        before, after = self.refused.arguments or {}, self.mended.arguments or {}
        names = before.keys() | after.keys()
        return len(names) < 2 or len(differing_arguments(before, after)) < len(names)


def recoveries(messages: Sequence[Message], calls: Sequence[MadeCall]) -> tuple[Recovery, ...]:
    """Return each refused call with the next successful call of its tool.

    None where a user spoke in between (the mending may be the user's), and none for outages.
    """
    found = []
    for index, refused in enumerate(calls):
        if refused.error is None or refused.met_an_outage:
            continue
        mended = _mending(refused, calls[index + 1 :])
        if mended is not None and not _user_speaks(messages[refused.step : mended.step]):
            found.append(Recovery(refused, mended))
    return tuple(found)


def _mending(refused: MadeCall, later: Sequence[MadeCall]) -> MadeCall | None:
    return next(
        (
            m
            for m in later
            if m.call.name == refused.call.name and m.has_succeeded and m.step > refused.step
        ),
        None,
    )


def _user_speaks(messages: Sequence[Message]) -> bool:
    return any(message.role == "user" for message in messages)
