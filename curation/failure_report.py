"""What `tracemill failures` shows: each failure mode in one line of plain data."""

from collections.abc import Sequence
from typing import NamedTuple

from tracemill.curation.finding import FailureMode, FindingClass, Standing
from tracemill.curation.findings import prepare_tables
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


def failure_overview(store: Store) -> FailureOverview:
    """Return what went wrong in the store's traces, in figures and in words."""
    prepare_tables(store)
    failed, spoiled, traces = store.execute(statement(__file__, "failed_traces"))[0]
    sound = traces - spoiled
    return FailureOverview(
        traces=traces,
        infrastructure_traces=spoiled,
        failed=failed,
        failure_share=failed / sound if sound else None,
        nights=_nights(store),
        lines=failure_table(store),
    )


def failure_table(store: Store) -> tuple[FailureLine, ...]:
    """Return a line for each failure mode: failures, then edge cases, then outages."""
    prepare_tables(store)
    _, spoiled, traces = store.execute(statement(__file__, "failed_traces"))[0]
    nights = _nights(store)
    faces = {row[0]: row[5:] for row in store.execute(statement(__file__, "mode_faces"))}
    lines = []
    for mode in failure_modes(store):
        example, shown_by, shown_soundly = faces[mode.id]
        is_outage = mode.kind == "infrastructure"
        counted = shown_by if is_outage else shown_soundly
        figures = _Figures(
            counted, shown_by - counted, counted / max(1, traces if is_outage else traces - spoiled)
        )
        lines.append(_line(mode, example, nights, figures))
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
        kind=mode.kind,
        **figures._asdict(),
        trend=tuple(sum(c.traces for c in mode.counts if c.night == night) for night in nights),
        models=tuple(sorted({count.model for count in mode.counts})),
        example=example,
        exemplar=mode.exemplars[0],
    )


def _order(line: FailureLine) -> tuple[int, int, str]:
    place = 2 if line.is_infrastructure else int(line.kind not in FAILURE_KINDS)
    return place, -line.traces, line.mode


def _nights(store: Store) -> tuple[str, ...]:
    return tuple(night for (night,) in store.execute(statement(__file__, "nights")))
