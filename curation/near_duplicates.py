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

from tracemill.curation.shingles import Hashes, Places, Shingles

_PERMUTATIONS = 72
_BANDS = 12
"""Bands of 6 rows: similarity 0.9 becomes a candidate in 9,998 of 10,000 cases, 0.8 in 97 %."""
_SEED = 20260301
_COMMON_SHARE = 0.2
_COMMON_TEXTS = 5
"""A shingle is boilerplate if this share of the texts has it, and this many at least."""
_REPEATS = 0.2
_ROOM = 32
"""Places for each shingle of the suite: one in so many of the others is taken for one of them."""
_MOST_BITS = 27
"""Places at most: 128 MiB."""
_SAMPLE = 2000
"""Texts that are asked for boilerplate, evenly spread over all."""


class NearDuplicate(NamedTuple):
    """A text and an earlier one that it nearly repeats."""

    place: int
    of: int
    similarity: float
    """Jaccard similarity of their shingles, 0 to 1."""


def near_duplicates(
    texts: Shingles, *, threshold: float, owners: Sequence[object]
) -> tuple[NearDuplicate, ...]:
    """Return the texts that nearly repeat an earlier one which is no duplicate itself.

    Texts of one owner are never compared: they are steps of one trace, and stay.
    """
    shingles = texts.without(boilerplate(texts))
    found: dict[int, NearDuplicate] = {}
    for index, candidates in _candidates(shingles):
        others = [c for c in candidates if c not in found and owners[c] != owners[index]]
        nearest = _nearest(index, others, shingles, threshold)
        if nearest is not None:
            found[index] = nearest
    return tuple(found.values())


def within_reach(
    texts: Shingles, suite: Shingles, *, threshold: float
) -> tuple[NearDuplicate, ...]:
    """Return the texts that nearly repeat one of the suite; `of` is the place in the suite.

    What is boilerplate the suite alone decides, so that the answer for one text does not depend
    on the others.
    """
    common = boilerplate(suite)
    of_suite, of_texts = suite.without(common), texts.without(common)
    likely = _mostly_known(of_texts, of_suite, threshold)
    shingles = _joined(of_suite, of_texts.some(likely))
    reached = []
    for index, candidates in _candidates(shingles):
        known = [candidate for candidate in candidates if candidate < suite.texts]
        nearest = _nearest(index, known, shingles, threshold) if index >= suite.texts else None
        if nearest is not None:
            reached.append(nearest._replace(place=int(likely[index - suite.texts])))
    return tuple(reached)


def _mostly_known(texts: Shingles, suite: Shingles, threshold: float) -> Places:
    """Texts of which the suite as a whole holds a share of the shingles beyond the threshold.

    No other can be near one of the suite: the Jaccard similarity is never above that share. The
    leading bits of a hash stand for it, which may add a text and never loses one.
    """
    bits = min(_MOST_BITS, max(16, int(suite.hashes.size * _ROOM).bit_length()))
    shift = np.uint64(64 - bits)
    is_known = np.zeros(1 << bits, bool)
    is_known[suite.hashes >> shift] = True
    hits = np.concatenate(([0], np.cumsum(is_known[texts.hashes >> shift])))
    offsets = texts.offsets.astype(np.int64)
    shares = np.diff(hits[offsets]) / np.maximum(1, np.diff(offsets))
    # a repeated shingle counts twice here and once in the similarity: leave room for it
    return np.flatnonzero(shares >= threshold - _REPEATS)


def _joined(one: Shingles, other: Shingles) -> Shingles:
    return Shingles(
        np.concatenate((one.hashes, other.hashes)),
        np.concatenate((one.offsets, other.offsets[1:] + one.offsets[-1])),
    )


def boilerplate(shingles: Shingles) -> Hashes:
    """Return the shingles that a good part of the texts share."""
    texts = shingles.texts
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
        is_same = np.diff(band[order]) == 0
        # Runs of equal keys: few, so that only they are looked at one by one.
        starts = np.flatnonzero(is_same & ~np.concatenate(([False], is_same[:-1])))
        ends = np.flatnonzero(is_same & ~np.concatenate((is_same[1:], [False]))) + 2
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            _note(full[order[start:end]].tolist(), earlier)
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
    rows = np.array(matrix.to_rows(), np.uint64)
    digests = rows.reshape(len(rows), _BANDS, -1)
    weights = np.cumprod(np.full(digests.shape[2], 0x9E3779B97F4A7C15, np.uint64), dtype=np.uint64)
    return (digests * weights).sum(axis=2, dtype=np.uint64)
