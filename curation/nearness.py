"""Nearness: how alike two texts are, and from where on they speak of the same."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from tracemill.errors import SettingsError

_CLAIM_WORD = r"\w+|…"
_REQUEST_WORD = r"[^\W\d_]{2,}"


@dataclass(frozen=True)
class Nearness:
    """A measure of likeness, with its own scale."""

    of: Callable[[Sequence[str]], Any]
    """Texts (n) → their likeness, each with each: an array (n, n), 0 to 1."""
    near: float
    """From here two texts speak of the same."""


@dataclass(frozen=True)
class ModeNearness:
    """How findings are told to belong together."""

    claims: Nearness
    requests: Nearness


def _by_words(texts: Sequence[str], *, ngrams: tuple[int, int], word: str, stop: str | None) -> Any:
    """Cosines of the texts' TF-IDF vectors."""
    from sklearn.feature_extraction.text import TfidfVectorizer  # slow to import, rarely needed

    vectorizer = TfidfVectorizer(
        token_pattern=word, ngram_range=ngrams, sublinear_tf=True, stop_words=stop
    )
    try:
        vectors = vectorizer.fit_transform(texts)
    except ValueError:  # no text holds any word
        return np.eye(len(texts))
    return (vectors @ vectors.T).toarray()


BY_WORDS = ModeNearness(
    claims=Nearness(partial(_by_words, ngrams=(1, 2), word=_CLAIM_WORD, stop=None), 0.7),
    requests=Nearness(partial(_by_words, ngrams=(1, 1), word=_REQUEST_WORD, stop="english"), 0.3),
)
"""By the words that texts share; those that few texts hold count most."""


def nearness_of(embeddings: str | None, *, near: float) -> ModeNearness:
    """Return the nearness that the settings ask for: by a model's embeddings, else by words.

    Raises SettingsError where the extra is not installed or the model cannot be loaded.
    """
    if embeddings is None:
        return BY_WORDS
    try:
        from tracemill.curation.embeddings import load_embeddings
    except ModuleNotFoundError as error:
        raise SettingsError(
            f"curation.embeddings {embeddings!r} needs the extra: "
            "pip install 'tracemill[embeddings]'"
        ) from error
    return load_embeddings(embeddings, near=near)
