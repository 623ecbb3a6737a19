"""Standing: is a failure mode new, growing, steady, fixed, or back again?

Nights are compared by exact binomial tails, so that a quiet night with few traces does not
declare anything fixed, nor one unlucky night anything growing.
"""

from collections.abc import Sequence
from typing import NamedTuple

from scipy.stats import binom

from tracemill.curation.finding import Standing

_ALPHA = 0.05


class NightShare(NamedTuple):
    """How often a mode was seen in one night."""

    night: str
    seen: int
    """Traces with the mode."""
    traces: int
    """All traces without an outage."""


def standing_of(nights: Sequence[NightShare]) -> Standing:
    """Return the mode's standing after the last of the nights, which are in order.

    "regressed" stays until the mode is fixed again: it is the warning that a repair did not last.
    """
    standing: Standing = "new"
    first = next((index for index, night in enumerate(nights) if night.seen), len(nights))
    for index in range(first + 1, len(nights)):
        standing = _after(standing, nights[first:index], nights[index])
    return standing


def _after(standing: Standing, past: Sequence[NightShare], night: NightShare) -> Standing:
    """The standing after one more night."""
    if standing == "fixed":
        return "regressed" if night.seen else "fixed"
    since_seen = _unseen_at_the_end((*past, night))
    if since_seen:
        quiet = sum(one.traces for one in since_seen)
        if binom.cdf(0, quiet, _share(past)) < _ALPHA:
            return "fixed"
        return standing
    if standing == "regressed":
        return standing
    is_more = binom.sf(night.seen - 1, night.traces, _share(past)) < _ALPHA
    return "growing" if is_more else "steady"


def _unseen_at_the_end(nights: Sequence[NightShare]) -> list[NightShare]:
    """The last nights in which the mode was not seen."""
    unseen: list[NightShare] = []
    for night in reversed(nights):
        if night.seen:
            break
        unseen.append(night)
    return unseen


def _share(nights: Sequence[NightShare]) -> float:
    """Share of traces with the mode, over the nights in which it was seen."""
    with_it = [night for night in nights if night.seen]
    return sum(night.seen for night in with_it) / max(1, sum(night.traces for night in with_it))
