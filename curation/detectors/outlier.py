"""Outlier: a trace that took far more steps, money or time than its agent's own peers."""

from collections.abc import Iterator

from tracemill.curation.detectors.reading import Claim, TraceClaim
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store


def find_step_outliers(store: Store, since: int) -> Iterator[TraceClaim]:
    """Yield one claim for each trace with far more assistant messages than its peers."""
    yield from _outliers(store, since, "step_outlier", "took far more steps", "steps")


def find_cost_outliers(store: Store, since: int) -> Iterator[TraceClaim]:
    """Yield one claim for each trace that cost far more than its peers."""
    yield from _outliers(store, since, "cost_outlier", "cost far more", "US dollars")


def find_latency_outliers(store: Store, since: int) -> Iterator[TraceClaim]:
    """Yield one claim for each trace that took far longer than its peers."""
    yield from _outliers(store, since, "latency_outlier", "took far longer", "seconds")


def _outliers(
    store: Store, since: int, question: str, deed: str, unit: str
) -> Iterator[TraceClaim]:
    for trace_id, value, typical, peers in store.execute(statement(__file__, question), [since]):
        evidence = f"{value:g} {unit}, where {peers} peers have a median of {typical:g}"
        yield TraceClaim(trace_id, Claim(None, f"{deed} than its peers", evidence))
