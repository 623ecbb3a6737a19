"""Mode names: what the claims of one failure mode have in common, in their own words."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from difflib import SequenceMatcher

_GAP = "…"
_WORD = re.compile(r"[^\W\d_]{3,}")
_MOST_WORDS = 4


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


def telling_words(requests: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return for each mode the few words that most of its requests share and few others have.

    They stand in the order of the mode's first request.

    >>> telling_words({"a": ["please cancel my flight"], "b": ["please pay my bill"]})["a"]
    'cancel flight'
    """
    if not requests:
        return {}
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # slow to import, rarely needed

    words = {
        mode: [_words(text, ENGLISH_STOP_WORDS) for text in texts]
        for mode, texts in requests.items()
    }
    modes_with: Counter[str] = Counter()
    for each in words.values():
        modes_with.update({word for found in each for word in found})
    return {mode: _telling(found, modes_with, len(words)) for mode, found in words.items()}


def _words(text: str, stop_words: Set[str]) -> tuple[str, ...]:
    """Each word of substance once, in order."""
    found = dict.fromkeys(_WORD.findall(text.casefold()))
    return tuple(word for word in found if word not in stop_words)


def _telling(requests: Sequence[Sequence[str]], modes_with: Mapping[str, int], modes: int) -> str:
    said = Counter(word for words in requests for word in words)
    weights = {
        word: count * math.log((modes + 1) / modes_with[word])
        for word, count in said.items()
        if count >= len(requests) / 2
    }
    chosen = sorted(weights, key=lambda word: (-weights[word], word))[:_MOST_WORDS]
    return " ".join(word for word in requests[0] if word in chosen)


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
