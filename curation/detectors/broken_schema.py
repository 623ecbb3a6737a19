"""Broken schema: the arguments do not satisfy the tool's own JSON schema."""

from collections.abc import Iterator

from tracemill.curation.detectors.reading import Claim, Reading
from tracemill.curation.schema import schema_problem, tool_named


def find_broken_schemas(reading: Reading) -> Iterator[Claim]:
    """Yield one claim for each such call."""
    for made in reading.calls:
        tool = tool_named(made.call.name, reading.trace.tools)
        arguments = made.arguments
        if tool is None or arguments is None:
            continue
        problem = schema_problem(tool, arguments)
        if problem is not None:
            text = f"{made.call.name}: {problem}"
            yield Claim(made.step, text, made.call.arguments, made.call.name)
