"""Recovery: the agent mended a refused call by itself. An edge case that shows the right call."""

from collections.abc import Iterator

from tracemill.curation.detectors.reading import Claim, Reading
from tracemill.curation.recovery import recoveries


def find_recoveries(reading: Reading) -> Iterator[Claim]:
    """Yield one claim for each refused call that a later call of the same tool mended."""
    for found in recoveries(reading.trace.messages, reading.calls):
        tool = found.refused.call.name
        text = f"{tool}: recovered by itself after a refusal"
        yield Claim(found.refused.step, text, found.mended.call.arguments, tool)
