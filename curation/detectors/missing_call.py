"""Missing call: the agent answered in words where a tool was needed."""

from collections.abc import Iterator

from tracemill.curation.detectors.reading import Claim, Reading
from tracemill.curation.shape import first_line


def find_missing_calls(reading: Reading) -> Iterator[Claim]:
    """Yield a claim where a failed episode, with tools at hand, called none of them."""
    trace = reading.trace
    has_tools = bool(trace.tools or trace.outcome.expected_calls)
    if reading.calls or not has_tools or not reading.has_failed or not reading.assistant_steps:
        return
    step = reading.assistant_steps[-1]
    if step not in reading.cut_steps:
        said = first_line(trace.messages[step].content or "")
        yield Claim(step, "answered without calling any tool", said)
