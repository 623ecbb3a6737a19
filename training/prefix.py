"""The tokens that several rows begin with."""

from collections.abc import Sequence

SHORTEST_PREFIX = 16
"""Fewer shared tokens than this are not worth sharing."""


def shared_prefix(rows: Sequence[list[int]]) -> list[int]:
    """Return the tokens that all rows begin with, leaving at least one to each row.

    Empty where they are too few to be worth sharing.

    >>> shared_prefix([[*range(20), 7], [*range(20), 8]]) == list(range(20))
    True
    >>> shared_prefix([[1, 2, 3], [1, 2, 4]])
    []
    """
    if len(rows) < 2:
        return []
    # Whatever the first and the last in order have in common, all between them have too.
    first, last = min(rows), max(rows)
    limit = min(map(len, rows)) - 1
    length = next((i for i in range(limit) if first[i] != last[i]), limit)
    return first[:length] if length >= SHORTEST_PREFIX else []
