"""Unknown tool: the agent called a tool that it was not offered."""

from collections.abc import Iterator

from tracemill.curation.detectors.reading import Claim, Reading


def find_unknown_tools(reading: Reading) -> Iterator[Claim]:
    """Yield one claim for each such call; none where the trace does not say what was offered."""
    offered = {tool.name for tool in reading.trace.tools}
    if not offered:
        return
    for made in reading.calls:
        if made.call.name not in offered:
            text = f"{made.call.name} was called and is no tool that was offered"
            yield Claim(made.step, text, made.call.arguments, made.call.name)
