"""Turn lists: episodes that keep what was done and what came back in lists side by side.

Environments log so (InterCode): one list of actions, one of observations, an element for each turn.
"""

from collections.abc import Iterator
from typing import Any

import orjson

from tracemill.errors import InvalidRecordError
from tracemill.ingest.decoders.paths import text_at, value_at
from tracemill.ingest.mapping import TurnMapping
from tracemill.ingest.message_parts import text_of

Fields = dict[str, Any]


def messages_of(record: Any, turns: TurnMapping) -> list[Fields]:
    """Return the messages, in OpenAI's form, that the lists of a record mean.

    Raises InvalidRecordError if a path leads to no list, or the observations are more than the
    actions.
    """
    asked = text_at(record, turns.request)
    said, seen = _list(record, turns.actions), _list(record, turns.observations)
    if len(seen) > len(said):
        raise InvalidRecordError(
            f"{len(seen)} observations at {turns.observations!r} of {len(said)} actions"
        )
    messages = [] if asked is None else [{"role": "user", "content": asked}]
    for number, action in enumerate(said):
        messages += _turn(number, text_of(action), seen[number : number + 1], turns)
    return messages


def _list(record: Any, path: str | None) -> list[Any]:
    found = value_at(record, path)
    if found is None:
        return []
    if not isinstance(found, list):
        raise InvalidRecordError(f"{path!r} is no list, but {type(found).__name__}")
    return found


def _turn(number: int, action: str, seen: list[Any], turns: TurnMapping) -> Iterator[Fields]:
    """An action is a call of the mapping's tool; without one it was said, and answered so."""
    if turns.tool is None:
        yield {"role": "assistant", "content": action}
        yield from ({"role": "user", "content": text_of(one)} for one in seen)
        return
    arguments = orjson.dumps({turns.argument: action}).decode()
    call = {"id": f"turn_{number}", "function": {"name": turns.tool, "arguments": arguments}}
    yield {"role": "assistant", "content": None, "tool_calls": [call]}
    for one in seen:
        yield {"role": "tool", "tool_call_id": call["id"], "content": text_of(one)}
