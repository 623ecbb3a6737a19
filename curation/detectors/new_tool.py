"""New tool: an agent is offered a tool that it never had."""

from collections.abc import Iterator

from tracemill.curation.detectors.reading import Claim, TraceClaim
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store


def find_new_tools(store: Store, since: int) -> Iterator[TraceClaim]:
    """Yield one claim for each new tool, at the first trace that has it."""
    for trace_id, tool in store.execute(statement(__file__, "new_tool"), [since]):
        yield TraceClaim(trace_id, Claim(None, f"{tool} is a tool never seen before", tool, tool))
