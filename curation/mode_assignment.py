"""Mode assignment: each new signature gets the failure mode that it belongs to, once and for all.

A mode's id is the first signature it was seen under, so it stays the same whatever comes later.
Findings whose claim alone tells a weakness are grouped by claim; those told apart by what had been
asked for first by claim, then by request.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from tracemill.curation.mode_grouping import Signature, group_signatures
from tracemill.curation.nearness import BY_WORDS, ModeNearness
from tracemill.curation.request_grouping import KnownRequests, group_requests
from tracemill.curation.shape import shape_of
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store
from tracemill.record import content_id

_COLUMNS = ("signature", "mode", "detector", "tool", "kind", "shape")
_REQUESTS = 200
"""Of each mode that are looked at."""


def assign_modes(store: Store, nearness: ModeNearness = BY_WORDS) -> None:
    """Give each signature that has no mode yet the mode it is nearest to, else a new one.

    What was assigned stays assigned, so that ids outlive nights.
    """
    rows = store.execute(statement(__file__, "new_signatures"))
    if not rows:
        return
    new = [
        Signature(signature, detector, tool, kind, shape_of(claim), traces, request, trace_id)
        for signature, detector, tool, kind, claim, request, traces, trace_id in rows
    ]
    asked = [each for each in new if each.request is not None]
    claims = {each.id: each for each in new if each.request is None}
    common = _modes_of(store, {_common(each).id for each in asked})
    claims |= {c.id: c for each in asked if (c := _common(each)).id not in common}
    assigned = group_signatures(
        list(claims.values()), list(_common_founders(store)), nearness.claims
    )
    grouped = [*claims.values(), *asked]
    assigned |= _by_request(store, asked, common | assigned, nearness)
    with store.transaction():
        rows_of = [
            (each.id, assigned[each.id], each.detector, each.tool, each.kind, each.shape)
            for each in grouped
        ]
        store.append("mode_signatures", _COLUMNS, rows_of)


def _common(signature: Signature) -> Signature:
    """What the signature shares with others whatever had been asked for."""
    shared = [signature.detector, signature.tool, signature.shape]
    return signature._replace(id=content_id("mode", shared), request=None)


def _common_founders(store: Store) -> Iterator[Signature]:
    for row in store.execute(statement(__file__, "mode_founders")):
        founder = Signature(*row)
        if founder.id == _common(founder).id:
            yield founder


def common_modes(store: Store) -> frozenset[str]:
    """Return the modes that are told by their claims alone, whatever had been asked for."""
    return frozenset(founder.id for founder in _common_founders(store))


def _modes_of(store: Store, signatures: Iterable[str]) -> dict[str, str]:
    return dict(store.execute(statement(__file__, "modes_of_signatures"), [sorted(signatures)]))


def _by_request(
    store: Store, asked: Sequence[Signature], commons: dict[str, str], nearness: ModeNearness
) -> dict[str, str]:
    """The mode of each signature with a request; `commons` are those of what they share."""
    if not asked:
        return {}
    by_common: defaultdict[str, list[Signature]] = defaultdict(list)
    for each in asked:
        by_common[commons[_common(each).id]].append(each)
    known = _known_requests(store)
    assigned: dict[str, str] = {}
    for common, some in sorted(by_common.items()):
        seen = known.get(common, KnownRequests(common, {}, ()))
        assigned |= group_requests(some, seen, nearness.requests)
    return assigned


def _known_requests(store: Store) -> dict[str, KnownRequests]:
    """What each common mode was seen with."""
    rows = store.execute(statement(__file__, "mode_requests"), [_REQUESTS])
    found = [
        (mode, Signature(signature, detector, tool, "agent", shape, 1, request, trace_id))
        for mode, signature, detector, tool, shape, request, trace_id in rows
    ]
    commons = _modes_of(store, {_common(each).id for _, each in found})
    founders: defaultdict[str, dict[str, str]] = defaultdict(dict)
    others: defaultdict[str, list[Signature]] = defaultdict(list)
    for mode, each in found:
        common = commons[_common(each).id]
        if mode == common:
            others[common].append(each)
        else:
            founders[common].setdefault(mode, each.request or "")
    return {
        common: KnownRequests(common, founders[common], tuple(others[common]))
        for common in founders.keys() | others.keys()
    }
