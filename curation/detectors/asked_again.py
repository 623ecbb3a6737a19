"""Asked again: the user repeats an earlier request in nearly the same words."""

import re
from collections.abc import Iterator

from tracemill.curation.detectors.reading import Claim, Reading
from tracemill.curation.shape import first_line

_WORD = re.compile(r"\w+")
_MIN_WORDS = 4
"""Shorter messages ("thanks a lot") are alike by themselves."""
_CONFIRMING = frozenset({"yes", "yeah", "yep", "ok", "okay", "sure"})
_ALIKE = 0.75
"""Jaccard similarity of the words, 0 to 1."""


def find_asked_again(reading: Reading) -> Iterator[Claim]:
    """Yield one claim for each repeat, at the assistant message that left the request open."""
    asked: list[frozenset[str]] = []
    for index in reading.user_steps:
        said = reading.trace.messages[index].content or ""
        words = frozenset(_WORD.findall(said.casefold()))
        before = [step for step in reading.assistant_steps if step < index]
        if before and any(_are_alike(words, earlier) for earlier in asked):
            yield Claim(before[-1], "the user asked for the same again", first_line(said))
        asked.append(words)


def _are_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    if min(len(one), len(other)) < _MIN_WORDS or one & other & _CONFIRMING:
        return False
    return len(one & other) / len(one | other) >= _ALIKE
