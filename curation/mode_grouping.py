"""Mode grouping: which signatures are one failure mode.

Within one detector and tool, claims are compared by what they say. A new signature joins the mode
whose founding claim is near enough; those left over are clustered among themselves by HDBSCAN, and
a cluster is kept only as far as its members are near its founder, so that a chain of small steps
does not tie together what is far apart.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from tracemill.curation.finding import FindingClass
from tracemill.curation.nearness import BY_WORDS, Nearness

_MOST_AT_ONCE = 1000
"""Signatures of one detector and tool that are clustered together: distances are quadratic."""


class Signature(NamedTuple):
    """What findings share."""

    id: str
    detector: str
    tool: str | None
    kind: FindingClass
    shape: str
    traces: int
    """Traces that show it."""
    request: str | None = None
    """What had been asked for, where the claim alone does not tell one weakness from another."""
    trace_id: str = ""
    """One trace that shows it."""


def group_signatures(
    new: Sequence[Signature],
    founders: Sequence[Signature],
    nearness: Nearness = BY_WORDS.claims,
) -> dict[str, str]:
    """Return the mode's id (its founder's) for each new signature; `founders` are modes already."""
    by_family: defaultdict[tuple[str, str | None], tuple[list[Signature], list[Signature]]]
    by_family = defaultdict(lambda: ([], []))
    for each in founders:
        by_family[each.detector, each.tool][0].append(each)
    for each in sorted(new, key=lambda signature: (-signature.traces, signature.id)):
        by_family[each.detector, each.tool][1].append(each)
    assigned: dict[str, str] = {}
    for known, unknown in by_family.values():
        for first in range(0, len(unknown), _MOST_AT_ONCE):
            some = unknown[first : first + _MOST_AT_ONCE]
            found = _group_family(some, known, nearness)
            assigned |= found
            known.extend(each for each in some if found[each.id] == each.id)
    return assigned


def _group_family(
    new: Sequence[Signature], founders: Sequence[Signature], nearness: Nearness
) -> dict[str, str]:
    """The same for signatures of one detector and tool, those of most traces first."""
    if len(new) + len(founders) == 1:
        return {new[0].id: new[0].id}
    alike = nearness.of([each.shape for each in (*founders, *new)])
    old = len(founders)
    assigned: dict[str, str] = {}
    for index, each in enumerate(new):
        if old and alike[old + index, :old].max() >= nearness.near:
            assigned[each.id] = founders[int(alike[old + index, :old].argmax())].id
    left = [index for index, each in enumerate(new) if each.id not in assigned]
    among = alike[old:, old:]
    for cluster in _clusters(among[left][:, left]):
        members = [left[member] for member in cluster]
        leaders = _leaders(members, among >= nearness.near)
        assigned |= {new[member].id: new[leader].id for member, leader in leaders.items()}
    return assigned


def _leaders(members: Sequence[int], are_near: Any) -> dict[int, int]:
    """Each member's leader, the first it is near: the cluster's founders are those of most traces."""
    leaders: dict[int, int] = {}
    for each in members:
        near = (one for one, leader in leaders.items() if one == leader and are_near[each, one])
        leaders[each] = next(near, each)
    return leaders


def _clusters(nearness: Any) -> list[list[int]]:
    """Indexes of each cluster's members; what HDBSCAN calls noise is a cluster of its own."""
    count = len(nearness)
    if count < 3:
        return [list(range(count))] if count else []
    from sklearn.cluster import HDBSCAN  # slow to import, rarely needed

    distances = (1.0 - nearness).clip(0.0, 1.0)
    labels = HDBSCAN(
        min_cluster_size=2, metric="precomputed", allow_single_cluster=True, copy=True
    ).fit_predict(distances)
    grouped: defaultdict[int, list[int]] = defaultdict(list)
    for index, label in enumerate(labels):
        grouped[int(label) if label >= 0 else -index - 1].append(index)
    return list(grouped.values())
