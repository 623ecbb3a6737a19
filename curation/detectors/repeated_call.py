"""Repeated call: the same call with the same arguments, at once again."""

from collections.abc import Iterator
from itertools import pairwise

from tracemill.curation.detectors.reading import Claim, Reading


def find_repeated_calls(reading: Reading) -> Iterator[Claim]:
    """Yield one claim for each repeat; a retry after an outage is none."""
    for before, made in pairwise(reading.calls):
        if before.met_an_outage or before.key != made.key:
            continue
        text = f"{made.call.name} was called again at once with the same arguments"
        yield Claim(made.step, text, made.call.arguments, made.call.name)
