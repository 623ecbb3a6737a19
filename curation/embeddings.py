"""Embeddings: findings told to belong together by what their texts mean, not by their words.

The model is one of sentence-transformers (the extra `embeddings`), from a folder or by its name.
How alike it finds texts that speak of the same differs from model to model: `near` says from which
cosine two requests are of one kind; two claims are one weakness from halfway between there and 1.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sentence_transformers import SentenceTransformer

from tracemill.curation.nearness import ModeNearness, Nearness
from tracemill.errors import SettingsError


def load_embeddings(model: str, *, near: float) -> ModeNearness:
    """Return the nearness of texts by this model's embeddings; SettingsError if it cannot be loaded."""
    if Path(model).is_absolute() and not Path(model).is_dir():
        raise SettingsError(f"curation.embeddings: there is no folder {model!r}")
    try:
        encoder = SentenceTransformer(model)
    except Exception as error:
        raise SettingsError(
            f"curation.embeddings {model!r} cannot be loaded ({error}): "
            "name the folder of a sentence-transformers model, or one that the hub has"
        ) from error

    def alike(texts: Sequence[str]) -> Any:
        vectors = encoder.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
        return np.clip(np.asarray(vectors) @ np.asarray(vectors).T, 0.0, 1.0)

    return ModeNearness(claims=Nearness(alike, (1.0 + near) / 2), requests=Nearness(alike, near))
