"""What `tracemill failures` shows: each failure mode in one line of plain data."""

from collections.abc import Sequence
from typing import NamedTuple

from tracemill.curation.finding import FailureMode, FindingClass, Standing
from tracemill.curation.findings import prepare_tables
from tracemill.curation.incidents import Incident, incidents
from tracemill.curation.modes import FAILURE_KINDS, failure_modes
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store
from tracemill.record import Record


class FailureLine(Record):
    """One failure mode in figures."""

    mode: str
    """Id of the mode."""
    name: str
    standing: Standing
    fixed_in: str | None = None
    """Model version in which it was last found to be gone."""
    regressed_in: str | None = None
    """Model version in which it came back after that."""
    kind: FindingClass
    traces: int
    """Traces that show it; but for outages themselves, only those that no outage touched."""
    traces_with_outage: int
    """Traces that show it beside an outage; they count in no share."""
    share: float
    """Of all traces without an outage; for infrastructure: of all traces. 0 to 1."""
    trend: tuple[int, ...]
    """Traces by night, earliest first, one figure for each night in `FailureOverview.nights`."""
    models: tuple[str, ...]
    """Model versions that showed it, `name@version`."""
    example: str
    """What one finding of it says, with its own figures."""
    exemplar: str
    """Id of the trace that shows it best."""

    @property
    def is_infrastructure(self) -> bool:
        """Whether it is an outage, listed apart and in no failure share."""
        return self.kind == "infrastructure"

    @property
    def is_failure(self) -> bool:
        """Whether the agent failed by it; edge cases, drift and outages are none."""
        return self.kind in FAILURE_KINDS

    @property
    def course(self) -> str:
        """The standing in words, with the model version that it speaks of."""
        version = {"fixed": self.fixed_in, "regressed": self.regressed_in}.get(self.standing)
        if version is None:
            return self.standing
        together = version.split(" and ")
        first, *others = [name for name in together if name in self.models] or together
        more = f" and {len(others)} more" if others else ""
        return f"{self.standing} in {first}{more}"


class NightFigures(Record):
    """How one night went."""

    night: str
    """ISO date, UTC."""
    traces: int
    failed: int
    infrastructure_traces: int


class FailureOverview(Record):
    """How many traces failed, and by what."""

    traces: int
    infrastructure_traces: int
    """Traces that met an outage: no evidence about the agent."""
    failed: int
    """Traces with a failure of the agent, among those without an outage."""
    failure_share: float | None
    """`failed` of the traces without an outage, 0 to 1; None where there is none."""
    nights: tuple[str, ...]
    lines: tuple[FailureLine, ...]
    """Failures first, most traces first; then edge cases; outages last."""
    by_night: tuple[NightFigures, ...] = ()
    incidents: tuple[Incident, ...] = ()
    """Outages that hit many traces at one time, the earliest first."""


def failure_overview(store: Store) -> FailureOverview:
    """Return what went wrong in the store's traces, in figures and in words."""
    prepare_tables(store)
    by_night = _by_night(store)
    failed = sum(night.failed for night in by_night)
    spoiled = sum(night.infrastructure_traces for night in by_night)
    traces = sum(night.traces for night in by_night)
    sound = traces - spoiled
    return FailureOverview(
        traces=traces,
        infrastructure_traces=spoiled,
        failed=failed,
        failure_share=failed / sound if sound else None,
        nights=tuple(night.night for night in by_night),
        lines=_lines(store, by_night),
        by_night=by_night,
        incidents=incidents(store),
    )


def _by_night(store: Store) -> tuple[NightFigures, ...]:
    return tuple(
        NightFigures(night=night, traces=traces, failed=failed, infrastructure_traces=spoiled)
        for night, failed, spoiled, traces in store.execute(statement(__file__, "failed_traces"))
    )


def _lines(store: Store, by_night: Sequence[NightFigures]) -> tuple[FailureLine, ...]:
    """A line for each failure mode: failures, then edge cases, then outages."""
    traces = sum(night.traces for night in by_night)
    sound = traces - sum(night.infrastructure_traces for night in by_night)
    nights = [night.night for night in by_night]
    faces = {row[0]: row[5:] for row in store.execute(statement(__file__, "mode_faces"))}
    lines = []
    for mode in failure_modes(store):
        example, shown_by, shown_soundly = faces[mode.id]
        is_outage = mode.kind == "infrastructure"
        counted = shown_by if is_outage else shown_soundly
        share = counted / max(1, traces if is_outage else sound)
        lines.append(_line(mode, example, nights, _Figures(counted, shown_by - counted, share)))
    return tuple(sorted(lines, key=_order))


class _Figures(NamedTuple):
    traces: int
    traces_with_outage: int
    share: float


def _line(mode: FailureMode, example: str, nights: Sequence[str], figures: _Figures) -> FailureLine:
    return FailureLine(
        mode=mode.id,
        name=mode.name,
        standing=mode.standing,
        fixed_in=mode.fixed_in,
        regressed_in=mode.regressed_in,
        kind=mode.kind,
        **figures._asdict(),
        trend=tuple(sum(c.traces for c in mode.counts if c.night == night) for night in nights),
        models=tuple(sorted({count.model for count in mode.counts})),
        example=example,
        exemplar=mode.exemplars[0],
    )


def _order(line: FailureLine) -> tuple[int, int, str]:
    place = 2 if line.is_infrastructure else int(not line.is_failure)
    return place, -line.traces, line.mode
