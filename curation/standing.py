"""Standing: is a failure mode new, growing, steady, fixed in a model version, or back in one?

Nights are compared by exact tests, so that a quiet night with few traces does not declare
anything fixed, nor one unlucky night anything growing.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from scipy.stats import binom, hypergeom

from tracemill.curation.finding import Standing

_ALPHA = 0.05
_ALPHA_FIXED = 0.01
"""Stricter: it is asked anew each night of every mode, and each error is a false "regressed" later."""

_NEW_NIGHTS = 7
"""After so many nights what was never seen again is no news: it is as rare as it was."""


class NightShare(NamedTuple):
    """How often a mode was seen in one night of one model version."""

    night: str
    model: str
    seen: int
    """Traces with the mode."""
    traces: int
    """All traces that could show it."""


class Course(NamedTuple):
    """Where a mode stands, and how it came there."""

    standing: Standing
    fixed_in: str | None = None
    """Model version in which it was last found to be gone."""
    regressed_in: str | None = None
    """Model version in which it came back after that."""


def in_order(shares: Iterable[NightShare]) -> tuple[NightShare, ...]:
    """Return the shares model version by model version, the one first seen earliest first.

    Where two versions serve side by side the older one's nights go before the newer one's: what
    the newer version mended is not back because the older one still shows it. Versions that came
    in the same night have no order, and are taken together.
    """
    shares = sorted(shares)
    first_night: dict[str, str] = {}
    for share in shares:
        first_night.setdefault(share.model, share.night)
    together: dict[tuple[str, str], NightShare] = {}
    for share in shares:
        place = (first_night[share.model], share.night)
        known = together.get(place)
        together[place] = share if known is None else _sum(known, share)
    return tuple(share for _, share in sorted(together.items()))


def _sum(one: NightShare, other: NightShare) -> NightShare:
    model = f"{one.model} and {other.model}"
    return NightShare(one.night, model, one.seen + other.seen, one.traces + other.traces)


def course_of(shares: Sequence[NightShare]) -> Course:
    """Return where the mode stands after the last of the shares, which are in order.

    "regressed" stays until the mode is fixed again: it warns that a repair did not last.
    """
    course = Course("new")
    first = next((index for index, share in enumerate(shares) if share.seen), len(shares))
    for index in range(first + 1, len(shares)):
        course = _after(course, shares[first:index], shares[index])
    nights = {share.night for share in shares[first:]}
    if course.standing == "new" and len(nights) > _NEW_NIGHTS:
        return Course("steady")
    return course


def _after(course: Course, past: Sequence[NightShare], share: NightShare) -> Course:
    if course.standing == "fixed":
        if share.seen:
            return Course("regressed", course.fixed_in, share.model)
        return course
    if not share.seen:
        is_gone = _chance_of_none((*past, share)) < _ALPHA_FIXED
        return Course("fixed", share.model) if is_gone else course
    if course.standing == "regressed":
        return course
    is_more = binom.sf(share.seen - 1, share.traces, _usual(past)) < _ALPHA
    return course._replace(standing="growing" if is_more else "steady")


def _chance_of_none(shares: Sequence[NightShare]) -> float:
    """Chance that the last nights are without the mode by mere luck.

    If nothing changed, any of the traces may be those that show it: none of them is among the last
    ones as often as the hypergeometric distribution says.
    """
    quiet = 0
    for share in reversed(shares):
        if share.seen:
            break
        quiet += share.traces
    traces, seen = sum(s.traces for s in shares), sum(s.seen for s in shares)
    return float(hypergeom.pmf(0, traces, seen, quiet))


def _usual(shares: Sequence[NightShare]) -> float:
    """Share of traces with the mode, over the nights in which it was seen."""
    with_it = [share for share in shares if share.seen]
    return sum(share.seen for share in with_it) / max(1, sum(share.traces for share in with_it))
