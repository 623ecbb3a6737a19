"""Incidents: outages of one tool or provider that hit many traces at one time."""

from datetime import UTC, datetime

from tracemill.curation.findings import prepare_tables
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store
from tracemill.record import Record


class Incident(Record):
    """One outage, from the first trace that met it to the last."""

    claim: str
    """What failed, in words."""
    tool: str | None
    """None: the model's provider or the harness."""
    first_seen_at: datetime
    last_seen_at: datetime
    traces: int
    exemplars: tuple[str, ...]
    """Ids of some of the traces."""


def incidents(store: Store, *, min_traces: int = 5) -> tuple[Incident, ...]:
    """Return the outages that hit at least `min_traces` traces within a short time, in order."""
    prepare_tables(store)
    return tuple(
        Incident(
            claim=claim,
            tool=tool,
            first_seen_at=first.astimezone(UTC),
            last_seen_at=last.astimezone(UTC),
            traces=traces,
            exemplars=tuple(exemplars),
        )
        for claim, tool, first, last, traces, exemplars in store.execute(
            statement(__file__, "incidents"), [min_traces]
        )
    )
