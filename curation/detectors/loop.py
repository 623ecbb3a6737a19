"""Loop: a round of several different calls, made over and over."""

from collections.abc import Iterator, Sequence

from tracemill.curation.detectors.reading import Claim, Reading

_PERIODS = (2, 3, 4)
"""Calls in one round; a round of one is a repeated call."""
_ROUNDS = 3


def find_loops(reading: Reading) -> Iterator[Claim]:
    """Yield a claim for the first round that is made three times; retries after outages are none."""
    calls = [made for made in reading.calls if not made.met_an_outage]
    keys = [made.key for made in calls]
    for start in range(len(keys)):
        period = next((period for period in _PERIODS if _is_round(keys[start:], period)), None)
        if period is not None:
            names = ", ".join(made.call.name for made in calls[start : start + period])
            made = calls[start + period]
            text = f"a round of calls was made three times or more: {names}"
            yield Claim(made.step, text, " → ".join(keys[start : start + period]), made.call.name)
            return


def _is_round(keys: Sequence[str], period: int) -> bool:
    first = keys[:period]
    return len(set(first)) > 1 and list(keys[: period * _ROUNDS]) == list(first) * _ROUNDS
