"""User correction: the user says that the agent got it wrong."""

import re
from collections.abc import Iterator

from tracemill.curation.detectors.reading import Claim, Reading
from tracemill.curation.shape import first_line

_CORRECTION = re.compile(
    r"\b(?:that'?s|this is|that is|it'?s|you(?:'re| are)) (?:not (?:right|correct|what i)|wrong|incorrect|mistaken)"
    r"|\bnot what i (?:asked|wanted|meant|said)|\bi (?:didn'?t|did not|never) (?:ask|say|want|mean)"
    r"|\bno,? i (?:meant|said|asked|wanted)\b|\bi (?:meant|already (?:told|said|gave))\b|\byou (?:misunderstood|got it wrong|made a mistake)",
    re.IGNORECASE,
)


def find_user_corrections(reading: Reading) -> Iterator[Claim]:
    """Yield one claim for each such message, at the assistant message before it."""
    for index in reading.user_steps:
        said = (reading.trace.messages[index].content or "").replace("’", "'")
        before = [step for step in reading.assistant_steps if step < index]
        if before and _CORRECTION.search(said[:400]):
            yield Claim(before[-1], "the user corrected the agent", first_line(said))
