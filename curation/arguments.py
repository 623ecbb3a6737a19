"""Arguments of tool calls: what counts as the same call.

The one definition of "same" for checks, repeats, expectations and duplicates: numbers match
within 1e-6 and across int, float and numeric text; text ignores case and outer blanks; a key
whose value is null is as good as absent; lists keep their order.
"""

import math

import orjson
from pydantic import JsonValue

from tracemill.ingest.trace import Message, ToolCall

_TOLERANCE = 1e-6


def arguments_match(wanted: dict[str, JsonValue], found: dict[str, JsonValue]) -> bool:
    """Return whether two calls' arguments mean the same.

    >>> arguments_match({"amount": 5}, {"amount": " 5.0 ", "note": None})
    True
    """
    return not differing_arguments(wanted, found)


def differing_arguments(
    wanted: dict[str, JsonValue], found: dict[str, JsonValue]
) -> tuple[str, ...]:
    """Return the names of the arguments that differ or are missing on one side, sorted."""
    names = sorted(wanted.keys() | found.keys())
    return tuple(name for name in names if not _values_match(wanted.get(name), found.get(name)))


def _values_match(wanted: JsonValue, found: JsonValue) -> bool:
    if isinstance(wanted, dict) and isinstance(found, dict):
        return arguments_match(wanted, found)
    if isinstance(wanted, list) and isinstance(found, list):
        return len(wanted) == len(found) and all(map(_values_match, wanted, found))
    return _canonical(wanted) == _canonical(found) or _numbers_match(wanted, found)


def _numbers_match(wanted: JsonValue, found: JsonValue) -> bool:
    if isinstance(wanted, str) and isinstance(found, str):
        return False  # "02139" and "2139" are two postcodes
    left, right = _number(wanted), _number(found)
    return left is not None and right is not None and abs(left - right) <= _TOLERANCE


def _number(value: JsonValue) -> float | None:
    """A finite number, or the one that a text spells; a bool is no number."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str) and "_" in value:
        return None  # Python's float reads "1_0" as 10
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _canonical(value: JsonValue) -> JsonValue:
    """The value as text and keys compare it; bools stay apart from numbers."""
    if isinstance(value, str):
        return value.strip().casefold()
    if isinstance(value, bool):
        return f"\0{value}"
    if isinstance(value, dict):
        return {key: _canonical(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_canonical(item) for item in value]
    return value


def call_key(call: ToolCall) -> str:
    """Return a text that is equal for equal calls: the tool's name and canonical arguments.

    Numeric text and numbers stay apart here: it is a key for repeats and duplicates, where a
    doubt means "another call".
    """
    parsed = call.parsed()
    if parsed is None:
        return f"{call.name} {call.arguments.strip()}"
    canonical = orjson.dumps(_canonical(parsed), option=orjson.OPT_SORT_KEYS)
    return f"{call.name} {canonical.decode()}"


def says_the_same(left: Message, right: Message) -> bool:
    """Return whether two assistant messages make the same calls, or answer in the same words."""
    if left.tool_calls or right.tool_calls:
        return [call_key(call) for call in left.tool_calls] == [
            call_key(call) for call in right.tool_calls
        ]
    return words_of(left.content) == words_of(right.content)


def words_of(text: str | None) -> str:
    """Return the text in lower case with single blanks."""
    return " ".join((text or "").casefold().split())
