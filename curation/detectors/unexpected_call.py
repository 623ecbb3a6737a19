"""Unexpected call: in a failed episode, a call with other arguments than somebody expected."""

from collections.abc import Iterator

from tracemill.curation.detectors.reading import Claim, Reading
from tracemill.curation.expectation import Deviation, deviation, unmade_calls


def find_unexpected_calls(reading: Reading) -> Iterator[Claim]:
    """Yield the first call that deviates, else each expected tool that was never called."""
    expected = reading.trace.outcome.expected_calls
    if reading.has_passed or not expected:
        return
    found = deviation(expected, reading.calls)
    if found is not None:
        yield Claim(
            found.made.step, _in_words(found), found.made.call.arguments, found.made.call.name
        )
        return
    called = {made.call.name for made in reading.calls}
    missing = dict.fromkeys(want.name for want in unmade_calls(expected, reading.calls))
    for tool in missing:
        if tool not in called:
            yield Claim(None, f"{tool} was expected and never called", "no call of it", tool)


def _in_words(found: Deviation) -> str:
    tool = found.made.call.name
    if found.differing:
        return f"{tool} called with other arguments than expected ({', '.join(found.differing)})"
    return f"{tool} called where {found.meant[0].name} was expected"
