"""Mode grouping: which signatures are one failure mode.

Within one detector and tool, claims are compared by their words (TF-IDF). A new signature joins
the mode whose founding claim is near enough; those left over are clustered among themselves by
HDBSCAN, and a cluster is kept only as far as its members are near its founder, so that a chain
of small steps does not tie together what is far apart.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from tracemill.curation.finding import FindingClass

_NEAR = 0.7
"""Cosine of two claims' words from which they are one mode, 0 to 1."""
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


def group_signatures(new: Sequence[Signature], founders: Sequence[Signature]) -> dict[str, str]:
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
            found = _group_family(some, known)
            assigned |= found
            known.extend(each for each in some if found[each.id] == each.id)
    return assigned


def _group_family(new: Sequence[Signature], founders: Sequence[Signature]) -> dict[str, str]:
    """The same for signatures of one detector and tool, those of most traces first."""
    if len(new) + len(founders) == 1:
        return {new[0].id: new[0].id}
    nearness = _nearness([each.shape for each in (*founders, *new)])
    old = len(founders)
    assigned: dict[str, str] = {}
    for index, each in enumerate(new):
        if old and nearness[old + index, :old].max() >= _NEAR:
            assigned[each.id] = founders[int(nearness[old + index, :old].argmax())].id
    left = [index for index, each in enumerate(new) if each.id not in assigned]
    for cluster in _clusters(nearness[old:, old:][left][:, left]):
        assigned |= _led([new[left[member]] for member in cluster], nearness, new, old)
    return assigned


def _led(
    members: Sequence[Signature], nearness: Any, new: Sequence[Signature], old: int
) -> dict[str, str]:
    """Each member to the first one that it is near: the cluster's founders are those of most traces."""
    place = {each.id: old + index for index, each in enumerate(new)}
    leaders: list[Signature] = []
    assigned = {}
    for each in members:
        near = [one for one in leaders if nearness[place[each.id], place[one.id]] >= _NEAR]
        if not near:
            leaders.append(each)
        assigned[each.id] = near[0].id if near else each.id
    return assigned


def _nearness(shapes: Sequence[str]) -> Any:
    """Cosines of the claims' TF-IDF vectors, (n, n)."""
    from sklearn.feature_extraction.text import TfidfVectorizer  # slow to import, rarely needed

    words = r"\w+|…"
    vectorizer = TfidfVectorizer(token_pattern=words, ngram_range=(1, 2), sublinear_tf=True)
    vectors = vectorizer.fit_transform(shapes)
    return (vectors @ vectors.T).toarray()


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
