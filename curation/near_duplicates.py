"""Near-duplicates: texts that say almost the same, found by MinHash and confirmed exactly.

Signatures (rensa) are cut into bands; texts that agree in a band are candidates, and candidates
are compared by the exact Jaccard similarity of their shingles. Boilerplate, the shingles that a
good part of the texts share (worked examples, greetings), is put aside first: texts that have
only that in common are not alike.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from tracemill.curation.shingles import Hashes, Shingles, shingle

_PERMUTATIONS = 128
_BANDS = 16
"""Bands of 8 rows: similarity 0.9 becomes a candidate in 9,999 of 10,000 cases, 0.8 in 95 %."""
_SEED = 20260301
_COMMON_SHARE = 0.2
_COMMON_TEXTS = 5
"""A shingle is boilerplate if this share of the texts has it, and this many at least."""
_SAMPLE = 2000
"""Texts that are asked for boilerplate, evenly spread over all."""


class NearDuplicate(NamedTuple):
    """A text and an earlier one that it nearly repeats."""

    place: int
    of: int
    similarity: float
    """Jaccard similarity of their shingles, 0 to 1."""


def near_duplicates(
    texts: Sequence[str], *, threshold: float, owners: Sequence[object]
) -> tuple[NearDuplicate, ...]:
    """Return the texts that nearly repeat an earlier one which is no duplicate itself.

    Texts of one owner are never compared: they are steps of one trace, and stay.
    """
    shingles = shingle(texts)
    shingles = shingles.without(boilerplate(shingles))
    found: dict[int, NearDuplicate] = {}
    for index, candidates in _candidates(shingles):
        others = [c for c in candidates if c not in found and owners[c] != owners[index]]
        nearest = _nearest(index, others, shingles, threshold)
        if nearest is not None:
            found[index] = nearest
    return tuple(found.values())


def within_reach(
    texts: Sequence[str], suite: Sequence[str], *, threshold: float
) -> tuple[NearDuplicate, ...]:
    """Return the texts that nearly repeat one of the suite; `of` is the place in the suite.

    What is boilerplate the suite alone decides, so that the answer for one text does not depend
    on the others.
    """
    common = boilerplate(shingle(suite))
    shingles = shingle([*suite, *texts]).without(common)
    reached = []
    for index, candidates in _candidates(shingles):
        of_suite = [candidate for candidate in candidates if candidate < len(suite)]
        nearest = _nearest(index, of_suite, shingles, threshold) if index >= len(suite) else None
        if nearest is not None:
            reached.append(nearest._replace(place=index - len(suite)))
    return tuple(reached)


def boilerplate(shingles: Shingles) -> Hashes:
    """Return the shingles that a good part of the texts share."""
    texts = len(shingles.offsets) - 1
    asked = range(0, texts, max(1, texts // _SAMPLE))
    least = max(_COMMON_TEXTS, int(np.ceil(_COMMON_SHARE * len(asked))))
    each_once = [shingles.of(index) for index in asked] or [np.zeros(0, np.uint64)]
    distinct, counts = np.unique(np.concatenate(each_once), return_counts=True)
    return distinct[counts >= least]


def _nearest(
    index: int, others: Iterable[int], shingles: Shingles, threshold: float
) -> NearDuplicate | None:
    """The first of the others that is near enough."""
    mine = shingles.of(index)
    for other in others:
        theirs = shingles.of(other)
        shared = len(np.intersect1d(mine, theirs, assume_unique=True))
        union = len(mine) + len(theirs) - shared
        if union and shared / union >= threshold:
            return NearDuplicate(index, other, shared / union)
    return None


def _candidates(shingles: Shingles) -> Iterator[tuple[int, list[int]]]:
    """Each text with the earlier ones that agree with it in some band, both in order."""
    lengths = np.diff(shingles.offsets.astype(np.int64))
    full = np.flatnonzero(lengths > 0)
    if len(full) < 2:
        return
    bands = _band_keys(shingles)[full]
    earlier: defaultdict[int, set[int]] = defaultdict(set)
    for band in bands.T:
        order = np.argsort(band, kind="stable")
        edges = np.flatnonzero(np.diff(band[order])) + 1
        for group in np.split(order, edges):
            if len(group) > 1:
                _note(full[group].tolist(), earlier)
    for index in sorted(earlier):
        yield index, sorted(earlier[index])


def _note(group: Sequence[int], earlier: dict[int, set[int]]) -> None:
    """Note for each member those before it; a crowd is compared with its first ones only."""
    for place, index in enumerate(group[1:], 1):
        earlier[index].update(group[: min(place, 8)])


def _band_keys(shingles: Shingles) -> Any:
    """One 64-bit key for each text and band, (n, bands)."""
    from rensa import RMinHash

    matrix = RMinHash.digest_matrix_from_flat_token_hashes(
        shingles.hashes, shingles.offsets, _PERMUTATIONS, _SEED
    )
    digests = np.array(matrix.to_rows(), np.uint64).reshape(len(matrix.to_rows()), _BANDS, -1)
    weights = np.cumprod(np.full(digests.shape[2], 0x9E3779B97F4A7C15, np.uint64), dtype=np.uint64)
    return (digests * weights).sum(axis=2, dtype=np.uint64)
