"""No progress: call after call that was refused, or gave again what it had given before."""

from collections.abc import Iterator

from tracemill.curation.calls import MadeCall
from tracemill.curation.detectors.reading import Claim, Reading

_CALLS = 4
"""So many in a row are no accident."""


def find_no_progress(reading: Reading) -> Iterator[Claim]:
    """Yield a claim for the first run of four calls without anything new; outages do not count."""
    seen: set[tuple[str, str]] = set()
    idle: list[MadeCall] = []
    for made in reading.calls:
        if made.met_an_outage or made.reply is None:
            continue
        content = made.reply.content or ""
        learned = (made.key, content)
        is_idle = made.error is not None or learned in seen
        idle = [*idle, made] if is_idle else []
        seen.add(learned)
        if len(idle) == _CALLS:
            names = ", ".join(dict.fromkeys(each.call.name for each in idle))
            text = f"four calls in a row brought nothing new: {names}"
            yield Claim(idle[0].step, text, content, idle[0].call.name)
            return
