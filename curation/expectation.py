"""Expectation: where an episode left the calls that somebody says it should have made.

Strict on purpose: a call deviates only if it matches no expected call, and a reference is
meant only if exactly one expected call can be. Looking around (the same tool with other
arguments, and later with the expected ones) is no deviation.
"""

from collections.abc import Sequence
from typing import NamedTuple

from tracemill.curation.arguments import arguments_match, differing_arguments
from tracemill.curation.calls import MadeCall
from tracemill.ingest.trace import ExpectedCall


class Deviation(NamedTuple):
    """The first call that left the expectation."""

    made: MadeCall
    meant: tuple[ExpectedCall, ...]
    """The expected calls, never made, that it may stand for; one if it is clear."""
    differing: tuple[str, ...]
    """Names of the arguments that differ from the nearest of them; none for another tool."""


def deviation(expected: Sequence[ExpectedCall], calls: Sequence[MadeCall]) -> Deviation | None:
    """Return the first call to an expected tool with arguments that nobody expected.

    Where there is none: the episode's only call, if just one expected call is missing.
    """
    unmade = unmade_calls(expected, calls)
    unexpected = [made for made in calls if not made.met_an_outage and not _is_any(made, expected)]
    for made in unexpected:
        found = made.arguments
        meant = tuple(want for want in unmade if want.name == made.call.name)
        if found is not None and meant:
            nearest = min((differing_arguments(w.arguments, found) for w in meant), key=len)
            return Deviation(made, meant, nearest)
    if len(unmade) == 1 and len(calls) == len(unexpected) == 1:
        return Deviation(unexpected[0], unmade, ())
    return None


def unmade_calls(
    expected: Sequence[ExpectedCall], calls: Sequence[MadeCall]
) -> tuple[ExpectedCall, ...]:
    """Return the expected calls that the episode never made."""
    return tuple(want for want in expected if not any(_matches(made, want) for made in calls))


def _is_any(made: MadeCall, expected: Sequence[ExpectedCall]) -> bool:
    return any(_matches(made, want) for want in expected)


def _matches(made: MadeCall, want: ExpectedCall) -> bool:
    found = made.arguments
    return (
        made.call.name == want.name and found is not None and arguments_match(want.arguments, found)
    )
