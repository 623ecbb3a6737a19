"""Failure modes: findings that belong together, followed from night to night.

Which findings belong together, `mode_assignment.py` says; here the modes are described as they
stand.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tracemill.curation.finding import FailureMode, FindingClass, ModeCount, Standing
from tracemill.curation.findings import prepare_tables
from tracemill.curation.mode_assignment import common_modes
from tracemill.curation.mode_names import common_name, telling_words
from tracemill.curation.standing import NightShare, course_of, in_order
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store

FAILURE_KINDS: frozenset[FindingClass] = frozenset({"agent", "tool", "policy"})
"""Classes that count as the agent's failure; edge cases, drift and outages do not."""


_REQUESTS = 50
"""Of each mode, that its name is made of."""


class _Night(NamedTuple):
    agent: str
    night: str
    model: str


def failure_modes(store: Store) -> tuple[FailureMode, ...]:
    """Return every mode that the store's findings show, the one with most traces first."""
    prepare_tables(store)
    shapes = _grouped(store.execute(statement(__file__, "mode_shapes")))
    asked_for = _asked_for(store)
    exemplars = _grouped(store.execute(statement(__file__, "mode_exemplars")))
    seen = _seen(store)
    totals = _totals(store)
    modes = []
    for mode, detector, tool, kind, *_ in store.execute(statement(__file__, "mode_faces")):
        course = course_of(in_order(_shares(seen[mode], totals.of(kind))))
        modes.append(
            FailureMode(
                id=mode,
                name=_name(shapes[mode], asked_for.get(mode, "")),
                detector=detector,
                tool=tool,
                kind=kind,
                signature=_signature(detector, tool, shapes[mode][0], asked_for.get(mode, "")),
                exemplars=exemplars[mode],
                counts=_counts(seen[mode]),
                standing=course.standing,
                fixed_in=course.fixed_in,
                regressed_in=course.regressed_in,
            )
        )
    return tuple(modes)


def _name(shapes: Sequence[str], asked_for: str) -> str:
    return f"{common_name(shapes)}: {asked_for}" if asked_for else common_name(shapes)


def _signature(detector: str, tool: str | None, shape: str, asked_for: str) -> str:
    return " | ".join((detector, tool or "-", shape, *([asked_for] if asked_for else [])))


def _asked_for(store: Store) -> dict[str, str]:
    """Of each mode that is told by its requests: the words that tell it."""
    requests: defaultdict[str, list[str]] = defaultdict(list)
    rows = store.execute(statement(__file__, "mode_requests"), [_REQUESTS])
    for mode, *_, request, _ in rows:
        requests[mode].append(request)
    common = common_modes(store) if rows else frozenset()
    return {m: words for m, words in telling_words(requests).items() if m not in common}


def standings(store: Store) -> dict[str, Standing]:
    """Return where each mode of the store stands, without the rest of what is known of it."""
    totals = _totals(store)
    kinds = dict(store.execute(statement(__file__, "mode_kinds")))
    return {
        mode: course_of(in_order(_shares(nights, totals.of(kinds[mode])))).standing
        for mode, nights in _seen(store).items()
    }


class _Totals(NamedTuple):
    """All traces by night."""

    every: dict[_Night, int]
    sound: dict[_Night, int]
    """Without an outage."""

    def of(self, kind: FindingClass) -> dict[_Night, int]:
        return self.every if kind == "infrastructure" else self.sound


def _totals(store: Store) -> _Totals:
    totals = _Totals({}, {})
    for agent, night, model, every, sound in store.execute(statement(__file__, "night_totals")):
        totals.every[_Night(agent, night, model)] = every
        totals.sound[_Night(agent, night, model)] = sound
    return totals


def _seen(store: Store) -> defaultdict[str, dict[_Night, int]]:
    """Traces that show each mode, by night."""
    seen: defaultdict[str, dict[_Night, int]] = defaultdict(dict)
    for mode, agent, night, model, traces in store.execute(statement(__file__, "mode_counts")):
        seen[mode][_Night(agent, night, model)] = traces
    return seen


def mode_of_signature(store: Store) -> dict[str, str]:
    """Return the mode's id for each signature that mining has assigned."""
    return dict(store.execute(statement(__file__, "modes_by_signature")))


def _shares(seen: dict[_Night, int], totals: dict[_Night, int]) -> list[NightShare]:
    """Traces with the mode out of all traces, for the agents that ever showed it."""
    agents = {night.agent for night in seen}
    shares: defaultdict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    for night, traces in totals.items():
        if night.agent in agents:
            share = shares[night.night, night.model]
            share[0] += seen.get(night, 0)
            share[1] += traces
    return [
        NightShare(night, model, *share) for (night, model), share in shares.items() if share[1]
    ]


def _counts(seen: dict[_Night, int]) -> tuple[ModeCount, ...]:
    counts: defaultdict[tuple[str, str], int] = defaultdict(int)
    for night, traces in seen.items():
        counts[night.night, night.model] += traces
    return tuple(
        ModeCount(night=night, model=model, traces=traces)
        for (night, model), traces in sorted(counts.items())
    )


def _grouped(rows: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    grouped: dict[str, tuple[str, ...]] = {}
    for key, value in rows:
        grouped[key] = (*grouped.get(key, ()), value)
    return grouped
