"""Request grouping: one weakness, told apart by what had been asked for.

A claim such as "the agent refused" names no error. Its findings are one mode, the common one, but
for requests that come up often enough: these are clustered by HDBSCAN, and each cluster is a mode
of its own, founded by the request in its middle. A new request joins the founder that it is
nearest to; what is near none stays in the common mode, and lends its weight to clusters to come.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tracemill.curation.mode_grouping import Signature
from tracemill.curation.nearness import BY_WORDS, Nearness

FEWEST_TRACES = 5
"""With fewer, a kind of request is none of its own."""
_MOST_MODES = 50
"""Of one weakness: beyond them it is not told apart any further."""
_MOST_POINTS = 1000
"""Requests that are clustered together: distances are quadratic."""
_NEIGHBOURS = 3
"""Of a point that lies within a cluster."""


class KnownRequests(NamedTuple):
    """What one weakness was seen with before."""

    common: str
    """The mode of what belongs to no other."""
    founders: dict[str, str]
    """Mode → the request that founded it."""
    others: tuple[Signature, ...]
    """Of the common mode, the latest, each with a request."""


def group_requests(
    new: Sequence[Signature], known: KnownRequests, nearness: Nearness = BY_WORDS.requests
) -> dict[str, str]:
    """Return the mode's id for each new signature, all of one weakness and each with a request."""
    founders = dict(known.founders)
    assigned: dict[str, str] = {}
    for some in _portions(sorted(new, key=lambda each: (-each.traces, each.id))):
        found = _group(some, known._replace(founders=founders), nearness)
        assigned |= found
        founders |= {each.id: each.request or "" for each in some if found[each.id] == each.id}
    return assigned


def _weight(signature: Signature) -> int:
    """How many points stand for it: beyond the fewest, more traces make no denser cluster."""
    return max(1, min(signature.traces, FEWEST_TRACES))


def _traces(members: Sequence[Signature]) -> int:
    """How many traces show them, at the least."""
    most: dict[str, int] = {}
    for each in members:
        most[each.trace_id] = max(each.traces, most.get(each.trace_id, 0))
    return sum(most.values())


def _portions(new: Sequence[Signature]) -> list[list[Signature]]:
    portions: list[list[Signature]] = [[]]
    points = 0
    for each in new:
        points += _weight(each)
        if points > _MOST_POINTS:
            portions.append([])
            points = _weight(each)
        portions[-1].append(each)
    return portions


def _group(new: Sequence[Signature], known: KnownRequests, nearness: Nearness) -> dict[str, str]:
    every = (*new, *known.others)
    alike = nearness.of([*known.founders.values(), *(each.request or "" for each in every)])
    modes, old = list(known.founders), len(known.founders)
    assigned = {each.id: known.common for each in new}
    left = []
    for place, each in enumerate(new):
        row = alike[old + place, :old]
        if old and row.max() >= nearness.near:
            assigned[each.id] = modes[int(row.argmax())]
        else:
            left.append(place)
    among = alike[old:, old:]
    open_ = [*left, *range(len(new), len(every))]
    clusters = _clusters(among, open_, [_weight(each) for each in every]) or _one_cluster(
        among >= nearness.near, open_
    )
    for cluster in clusters[: _MOST_MODES - old]:
        own = [member for member in cluster if member < len(new)]
        members = _around_founder(own, cluster, among >= nearness.near, among)
        if _traces([every[member] for member in members]) >= FEWEST_TRACES:
            founder = new[members[0]].id
            assigned |= {new[member].id: founder for member in members if member < len(new)}
    return assigned


def _clusters(among: Any, places: Sequence[int], weights: Sequence[int]) -> list[list[int]]:
    """Places of each cluster's members, the greatest first; what HDBSCAN calls noise is in none."""
    points = [place for place in places for _ in range(weights[place])]
    if len(points) < FEWEST_TRACES:
        return []
    from sklearn.cluster import HDBSCAN  # slow to import, rarely needed

    distances = (1.0 - among[points][:, points]).clip(0.0, 1.0)
    labels = HDBSCAN(
        min_cluster_size=FEWEST_TRACES,
        min_samples=_NEIGHBOURS,
        metric="precomputed",
        cluster_selection_method="leaf",
        copy=True,
    ).fit_predict(distances)
    clusters: dict[int, dict[int, None]] = {}
    for place, label in zip(points, labels, strict=True):
        if label >= 0:
            clusters.setdefault(int(label), {})[place] = None
    return sorted((list(each) for each in clusters.values()), key=lambda each: (-len(each), each))


def _one_cluster(are_near: Any, places: Sequence[int]) -> list[list[int]]:
    """What lies around the place that most are near: HDBSCAN finds two clusters or more, or none."""
    if not places:
        return []
    within = are_near[places][:, places]
    middle = int(within.sum(axis=1).argmax())
    return [[place for place, is_near in zip(places, within[middle], strict=True) if is_near]]


def _around_founder(
    own: Sequence[int], cluster: Sequence[int], are_near: Any, among: Any
) -> list[int]:
    """The founder, the new one in the middle of the cluster, and the members that are near it."""
    if not own:
        return []
    middle = own[int(np.argmax(among[own][:, cluster].mean(axis=1)))]
    return [middle, *(each for each in cluster if each != middle and are_near[each, middle])]
