"""Request: what the user had asked for where something went wrong, without its numbers and names."""

import re
from collections.abc import Sequence

from tracemill.curation.shape import shape_of
from tracemill.ingest.trace import Message

_WORD = re.compile(r"\w+")
_FEWEST_WORDS = 4
"""A message with fewer ("yes, please") does not say what is wanted."""
_MOST_CHARS = 400


def request_at(messages: Sequence[Message], step: int | None) -> str | None:
    """Return the shape of the request that `step` answers, of the first one where it is None.

    Of the user's messages before the step it is the last that says what is wanted. None where the
    user said nothing.
    """
    said = [message.content for message in messages[:step] if message.role == "user"]
    spoken = [text for text in said if text and text.strip()]
    full = [text for text in spoken if len(_WORD.findall(text[:_MOST_CHARS])) >= _FEWEST_WORDS]
    chosen = full or spoken
    if not chosen:
        return None
    return shape_of(chosen[0 if step is None else -1][:_MOST_CHARS])
