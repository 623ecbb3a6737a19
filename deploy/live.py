"""Live: how often each model version fails in production, from the findings of mining.

A trace has failed where its reward or feedback says so; where neither speaks, where a finding of
weight does. A trace that met an outage says nothing of the agent: it is in neither count, and
counted apart. Traces that mining has not read yet are left out, since nothing is known of them.
"""

from datetime import datetime

from scipy import stats

from tracemill.curation.detectors.table import DETECTORS
from tracemill.curation.findings import prepare_tables
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store
from tracemill.ingest.trace import ModelRef
from tracemill.record import Record

MIN_SEVERITY = 0.5
"""A finding of less does not make a trace a failure."""


class LiveRate(Record):
    """One model version's failures in production."""

    model: ModelRef
    traces: int
    """Without those that met an outage."""
    failed: int
    infrastructure: int
    """Traces that met an outage; in neither count above."""
    share: float | None
    """Failed of traces; None where there is no trace."""
    low: float
    high: float
    """Wilson's 95 % interval of the share."""
    first_at: datetime
    last_at: datetime


def live_rates(store: Store) -> tuple[LiveRate, ...]:
    """Return the failure rate of each model version, in order of its first trace."""
    prepare_tables(store)
    rows = store.execute(statement(__file__, "live_rates"), [_detectors(), MIN_SEVERITY])
    return tuple(
        make_rate(
            ModelRef(name=name, version=version),
            traces=traces,
            failed=failed,
            infrastructure=infrastructure,
            seen=(first_at, last_at),
        )
        for name, version, traces, failed, infrastructure, first_at, last_at in rows
    )


def live_outcomes(store: Store, model: ModelRef) -> tuple[bool, ...]:
    """Return of each of the model's traces without an outage whether it failed, oldest first."""
    prepare_tables(store)
    params = [MIN_SEVERITY, model.name, model.version, _detectors()]
    return tuple(
        bool(row[0]) for row in store.execute(statement(__file__, "live_outcomes"), params)
    )


def _detectors() -> list[str]:
    return [detector.name for detector in DETECTORS]


def make_rate(
    model: ModelRef,
    *,
    traces: int,
    failed: int,
    infrastructure: int,
    seen: tuple[datetime, datetime],
) -> LiveRate:
    """Return the rate with its interval (Wilson 1927, JASA 22:209-212); 0 to 1 without a trace."""
    low, high = 0.0, 1.0
    if traces:
        interval = stats.binomtest(failed, traces).proportion_ci(0.95, method="wilson")
        low, high = float(interval.low), float(interval.high)
    return LiveRate(
        model=model,
        traces=traces,
        failed=failed,
        infrastructure=infrastructure,
        share=failed / traces if traces else None,
        low=low,
        high=high,
        first_at=seen[0],
        last_at=seen[1],
    )
