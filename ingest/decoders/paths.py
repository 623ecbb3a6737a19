"""Values at dotted paths of a JSON record."""

from collections.abc import Sequence
from typing import Any

from pydantic import JsonValue

from tracemill.errors import InvalidRecordError


def value_at(record: JsonValue, path: str | None) -> Any:
    """Return the value at the dotted path (a number picks an element); None if there is none.

    >>> value_at({"info": {"users": ["ann"]}}, "info.users.0")
    'ann'
    """
    if path is None:
        return None
    value: Any = record
    for name in path.split("."):
        if isinstance(value, dict):
            value = value.get(name)
        elif isinstance(value, list) and name.isdigit() and int(name) < len(value):
            value = value[int(name)]
        else:
            return None
    return value


def text_at(record: JsonValue, path: str | None) -> str | None:
    """Return the text or number at the path as text; None if there is none, or it is empty.

    Raises InvalidRecordError if it is an object or a list.
    """
    value = value_at(record, path)
    if value is None or value == "":
        return None
    if isinstance(value, dict | list):
        raise InvalidRecordError(f"{path!r} is no text, but {type(value).__name__}")
    return str(value)


def joined_at(record: JsonValue, paths: str | Sequence[str] | None) -> str | None:
    """Return the texts at the paths joined with "-"; None if one of them is missing."""
    if paths is None:
        return None
    texts = [text_at(record, path) for path in ([paths] if isinstance(paths, str) else paths)]
    return None if None in texts else "-".join(filter(None, texts))


def share_at(record: JsonValue, path: str | None, largest: float) -> float | None:
    """Return the number at the path as a share of `largest`, held between 0 and 1.

    Raises InvalidRecordError if it is no number.
    """
    value = value_at(record, path)
    if value is None:
        return None
    try:
        return min(1.0, max(0.0, float(value) / largest))
    except (TypeError, ValueError) as error:
        raise InvalidRecordError(f"{path!r} is no number, but {value!r}") from error
