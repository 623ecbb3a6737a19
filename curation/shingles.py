"""Shingles: texts as sets of hashed three-word windows, many texts in one pass over their bytes.

Words are runs of letters and digits, in lower case; whatever stands between them is put aside.
A text of fewer than three words has its words as shingles.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

_WINDOW = 3
_CHARS_AT_ONCE = 24_000
"""Few enough that the arrays over them stay in the processor's cache and are not asked of the
system anew each time: ten times as many take twice as long."""
_BASE = np.uint64(0x9E3779B97F4A7C15)  # odd, so that its powers never vanish modulo 2^64
_LONGEST = 64
"""Bytes of a word after which the powers repeat."""

Hashes = npt.NDArray[np.uint64]
Places = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Shingles:
    """The shingles of n texts, one after the other."""

    hashes: Hashes
    offsets: Hashes
    """(n + 1): text i has `hashes[offsets[i]:offsets[i + 1]]`."""

    @property
    def texts(self) -> int:
        """How many texts there are."""
        return len(self.offsets) - 1

    def of(self, index: int) -> Hashes:
        """Return the shingles of one text, sorted, each once."""
        return np.unique(self.hashes[int(self.offsets[index]) : int(self.offsets[index + 1])])

    def some(self, places: Places) -> "Shingles":
        """Return the texts at these places alone."""
        parts = [self.hashes[int(self.offsets[p]) : int(self.offsets[p + 1])] for p in places]
        lengths = np.array([0, *map(len, parts)], np.uint64)
        return Shingles(
            np.concatenate(parts) if parts else self.hashes[:0], np.cumsum(lengths, dtype=np.uint64)
        )

    def without(self, hashes: Hashes) -> "Shingles":
        """Return the same texts without these shingles."""
        if not len(hashes):
            return self
        keep = ~np.isin(self.hashes, hashes)
        kept_before = np.concatenate(([0], np.cumsum(keep))).astype(np.uint64)
        return Shingles(self.hashes[keep], kept_before[self.offsets.astype(np.int64)])


def shingle(texts: Sequence[str]) -> Shingles:
    """Return the shingles of the texts, in their order."""
    parts = [_shingle_some(some) for some in _batches(texts)]
    lengths = np.concatenate([np.zeros(1, np.uint64), *(counts for _, counts in parts)])
    hashes = [found for found, _ in parts] or [np.zeros(0, np.uint64)]
    return Shingles(np.concatenate(hashes), np.cumsum(lengths, dtype=np.uint64))


def _batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """The texts in runs of about as many characters as are worked on at once."""
    first = chars = 0
    for index, text in enumerate(texts):
        chars += len(text)
        if chars >= _CHARS_AT_ONCE:
            yield texts[first : index + 1]
            first, chars = index + 1, 0
    if first < len(texts):
        yield texts[first:]


def _shingle_some(texts: Sequence[str]) -> tuple[Hashes, Hashes]:
    """(hashes of all windows, windows of each text)."""
    words, rows = _words(texts)
    counts = np.bincount(rows, minlength=len(texts))
    if len(words) < _WINDOW:
        return words, counts.astype(np.uint64)
    windows = _mix(
        words[:-2] * np.uint64(3) + _mix(words[1:-1]) * np.uint64(5) + _mix(_mix(words[2:]))
    )
    is_window = np.zeros(len(words), bool)
    is_window[:-2] = rows[:-2] == rows[2:]
    hashes = words.copy()
    hashes[:-2][is_window[:-2]] = windows[is_window[:-2]]
    keep = is_window | (counts[rows] < _WINDOW)
    return hashes[keep], np.bincount(rows[keep], minlength=len(texts)).astype(np.uint64)


def _words(texts: Sequence[str]) -> tuple[Hashes, Places]:
    """(hash of each word, text that it stands in)."""
    joined = "\0".join(text.casefold().replace("\0", " ") for text in texts)
    data = np.frombuffer(joined.encode("utf-8", "surrogatepass"), np.uint8)
    is_word = _IS_WORD[data]
    is_start = is_word & ~np.concatenate(([False], is_word[:-1]))
    starts = np.flatnonzero(is_start)
    if not len(starts):
        return np.zeros(0, np.uint64), np.zeros(0, np.int64)
    places = np.flatnonzero(is_word)
    first_byte = np.flatnonzero(is_start[places])
    lengths = np.diff(np.append(first_byte, len(places)))
    powers = _POWERS[(places - np.repeat(starts, lengths)) % _LONGEST]
    hashes = np.add.reduceat((data[places].astype(np.uint64) + np.uint64(1)) * powers, first_byte)
    return _mix(hashes), np.cumsum(data == 0)[starts].astype(np.int64)


def _mix(hashes: Hashes) -> Hashes:
    """Spread each hash over its 64 bits (the finaliser of SplitMix64, Steele et al. 2014)."""
    mixed = (hashes ^ (hashes >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


_IS_WORD = np.array([chr(byte).isalnum() or byte >= 0x80 for byte in range(256)])
_POWERS = np.cumprod(np.full(_LONGEST, _BASE, np.uint64), dtype=np.uint64)
