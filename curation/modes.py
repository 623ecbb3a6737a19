"""Failure modes: findings that belong together, followed from night to night.

A mode's id is made of the first signature it was seen under (detector, tool, shape of the
claim) and kept in the store, so it stays the same whatever comes later.
"""

from collections.abc import Iterable

from tracemill.curation.finding import FailureMode, FindingClass, ModeCount
from tracemill.curation.findings import prepare_tables
from tracemill.curation.shape import shape_of
from tracemill.curation.standing import NightShare, standing_of
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store

FAILURE_KINDS: frozenset[FindingClass] = frozenset({"agent", "tool", "policy"})
"""Classes that count as the agent's failure; edge cases, drift and outages do not."""


def assign_modes(store: Store) -> None:
    """Give each signature that has no mode yet one of its own."""
    rows = store.execute(statement(__file__, "new_signatures"))
    with store.transaction():
        store.append(
            "mode_signatures",
            ("signature", "mode", "detector", "tool", "kind", "shape"),
            [
                (signature, signature, detector, tool, kind, shape_of(claim))
                for signature, detector, tool, kind, claim in rows
            ],
        )


def failure_modes(store: Store) -> tuple[FailureMode, ...]:
    """Return every mode that the store's findings show, the one with most traces first."""
    prepare_tables(store)
    exemplars = _grouped(store.execute(statement(__file__, "mode_exemplars")))
    counts: dict[str, list[ModeCount]] = {}
    for mode, night, model, traces in store.execute(statement(__file__, "mode_counts")):
        counts.setdefault(mode, []).append(ModeCount(night=night, model=model, traces=traces))
    totals = night_totals(store)
    return tuple(
        FailureMode(
            id=mode,
            name=shape,
            detector=detector,
            tool=tool,
            kind=kind,
            signature=f"{detector} | {tool or '-'} | {shape}",
            exemplars=exemplars[mode],
            counts=tuple(counts.get(mode, ())),
            standing=standing_of(_shares(counts.get(mode, ()), totals)),
        )
        for mode, detector, tool, kind, shape, *_ in store.execute(
            statement(__file__, "mode_faces")
        )
    )


def night_totals(store: Store) -> dict[str, int]:
    """Return the number of traces that no outage touched, by night, earliest first."""
    totals: dict[str, int] = {}
    for night, _, traces in store.execute(statement(__file__, "night_totals")):
        totals[night] = totals.get(night, 0) + traces
    return totals


def _shares(counts: Iterable[ModeCount], totals: dict[str, int]) -> tuple[NightShare, ...]:
    """Traces with the mode out of all traces, night by night."""
    seen = {night: 0 for night in totals}
    for count in counts:
        seen[count.night] = seen.get(count.night, 0) + count.traces
    return tuple(
        NightShare(night, traces, max(totals.get(night, 0), traces))
        for night, traces in sorted(seen.items())
    )


def _grouped(rows: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    grouped: dict[str, tuple[str, ...]] = {}
    for key, value in rows:
        grouped[key] = (*grouped.get(key, ()), value)
    return grouped


def mode_of_signature(store: Store) -> dict[str, str]:
    """Return the mode's id for each signature that mining has assigned."""
    return dict(store.execute(statement(__file__, "modes_by_signature")))
