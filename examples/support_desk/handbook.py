"""The handbook: worked examples, of which the agent is shown the nearest to each request."""

import math
import re
import tomllib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from examples.support_desk.tools import Call
from tracemill.record import Record

_WORD = re.compile(r"[a-z]+")


class Example(Record):
    """A request, and the call that answers it."""

    request: str
    call: Call


class Handbook:
    """Examples that are found by the words of a request, rare words first."""

    def __init__(self, examples: Sequence[Example]) -> None:
        self.examples = tuple(examples)
        self._words = [_words(example.request) for example in self.examples]
        seen = Counter(word for words in self._words for word in words)
        total = len(self.examples)
        self._weight = {word: math.log(1 + total / count) for word, count in seen.items()}

    def nearest(self, request: str) -> Example:
        """Return the example that shares the most with the request, for its own length."""
        asked = _words(request)
        scores = [self._similarity(asked, words) for words in self._words]
        return self.examples[max(range(len(scores)), key=scores.__getitem__)]

    def _similarity(self, asked: frozenset[str], words: frozenset[str]) -> float:
        shared = sum(self._weight[word] for word in asked & words)
        return shared / math.sqrt(sum(self._weight[word] for word in words))


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


def load_handbook() -> Handbook:
    """Return the desk's handbook."""
    content = tomllib.loads(Path(__file__).with_name("handbook.toml").read_text())
    return Handbook([Example.model_validate(example) for example in content["example"]])
