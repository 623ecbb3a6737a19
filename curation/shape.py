"""Shape: a text without what differs from case to case, so that equal errors look equal."""

import re

_VARYING = re.compile(
    r"""'[^']{1,80}'|"[^"]{1,80}"|`[^`]{1,80}`"""  # what is quoted
    r"|(?<!\S)(?![45]\d\d [A-Z])\S*\d[^\s,;:!?)\]}'\"]*",  # what holds a digit: numbers, dates, ids; no HTTP status with its phrase
)
_GAP = "…"


def shape_of(text: str) -> str:
    """Return the text with numbers, dates, ids and quoted values as "…".

    >>> shape_of("total price is 375, but paid 299")
    'total price is …, but paid …'
    """
    return " ".join(_VARYING.sub(_GAP, text).split())


def first_line(text: str, limit: int = 160) -> str:
    """Return the first line that holds anything, cut to `limit` characters."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= limit else f"{line[: limit - 1]}…"
