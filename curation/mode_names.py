"""Mode names: what the claims of one failure mode have in common, in their own words."""

from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

_GAP = "…"


def common_name(shapes: Sequence[str]) -> str:
    """Return the words that all shapes share, in order, with "…" where they differ.

    >>> common_name(["no seats on flight …", "no seats on train …"])
    'no seats on …'

    What stands in the brackets at the end, if anything does, is told by how often it occurs.
    """
    stems, brackets = zip(*(_parts(shape) for shape in shapes), strict=True)
    words = stems[0].split()
    for other in stems[1:]:
        words = _shared(words, other.split())
    said = Counter(name for bracket in brackets for name in bracket)
    listed = [name for name, _ in said.most_common(3)] + ([_GAP] if len(said) > 3 else [])
    return " ".join(words) + (f" ({', '.join(listed)})" if listed else "")


def _parts(shape: str) -> tuple[str, tuple[str, ...]]:
    """The shape before its last brackets, and the names within them."""
    if not shape.endswith(")") or " (" not in shape:
        return shape, ()
    stem, _, bracket = shape.rpartition(" (")
    return stem, tuple(bracket.removesuffix(")").split(", "))


def _shared(one: list[str], other: list[str]) -> list[str]:
    """The common words, with one gap for each stretch that differs."""
    words: list[str] = []
    matcher = SequenceMatcher(a=one, b=other, autojunk=False)
    for operation, first, last, _, _ in matcher.get_opcodes():
        found = one[first:last] if operation == "equal" else [_GAP]
        words += [word for word in found if not (word == _GAP and words[-1:] == [_GAP])]
    return words
