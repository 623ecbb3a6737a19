"""Novel request: somebody asks for what nobody asked this agent before."""

from collections.abc import Iterator

from tracemill.curation.detectors.reading import Claim, TraceClaim
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store


def find_novel_requests(store: Store, since: int) -> Iterator[TraceClaim]:
    """Yield one claim for each request of which at least half the words are new."""
    rows = store.execute(statement(__file__, "novel_request"), [since])
    for trace_id, share in rows:
        evidence = f"{share:.0%} of the request's words are new"
        yield TraceClaim(trace_id, Claim(None, "a request unlike all before", evidence))
