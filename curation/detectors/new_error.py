"""New error: a tool answers with an error text that it never gave this agent."""

from collections.abc import Iterator

from tracemill.curation.detectors.reading import Claim, TraceClaim
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store


def find_new_errors(store: Store, since: int) -> Iterator[TraceClaim]:
    """Yield one claim for each error text, at the first trace that has it."""
    rows = store.execute(statement(__file__, "new_error"), [since])
    for trace_id, step, claim, evidence, tool in rows:
        text = f"an error text never seen before: {claim}"
        yield TraceClaim(trace_id, Claim(step, text, evidence, tool))
