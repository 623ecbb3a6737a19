"""Refused: the agent said that it cannot or will not, instead of helping."""

import re
from collections.abc import Iterator

from tracemill.curation.detectors.reading import Claim, Reading
from tracemill.curation.shape import first_line

_REFUSAL = re.compile(
    r"\s*(?:(?:i'?m|i am) (?:very |really |so )?sorry|sorry|apologies|i apologi[sz]e|unfortunately)?"
    r"[,.;:!]?\s*(?:but )?"
    r"(?:i (?:can'?t|cannot|can not|won'?t|will not|am unable to|am not able to|am not allowed to)"
    r"|i'?m (?:unable|not able|not allowed) to|as an ai\b)",
    re.IGNORECASE,
)


def find_refusals(reading: Reading) -> Iterator[Claim]:
    """Yield a claim where the last answer refuses, by the wire's word or by how it begins."""
    if not reading.assistant_steps:
        return
    last = reading.assistant_steps[-1]
    message = reading.trace.messages[last]
    step = reading.trace.step_at(last)
    by_the_wire = step is not None and step.finish_reason == "refused"
    said = (message.content or "").replace("’", "'")
    if by_the_wire or (not message.tool_calls and _REFUSAL.match(said)):
        yield Claim(last, "the agent refused", first_line(said) or "finish reason: refused")
