"""Healthy decisions: what the agent did right in traces that passed, kept as replay.

Trained beside the mended failures they guard against forgetting; held out they show a
candidate that breaks what worked.
"""

import hashlib
from collections.abc import Collection

from tracemill.curation.detectors.reading import Reading


def healthy_steps(
    reading: Reading, faulty: Collection[int | None], *, most: int
) -> tuple[int, ...]:
    """Return the steps of a passing trace that are worth repeating, at most `most` in order.

    They are calls that went through, and the last answer; none with a finding, none that was
    cut. Where there are more than `most`, a hash chooses, so that no place in the episode is
    preferred and the choice stays the same.
    """
    if not _has_passed(reading):
        return ()
    refused = {made.step for made in reading.calls if not made.has_succeeded}
    calling = {made.step for made in reading.calls} - refused
    last = reading.assistant_steps[-1:]
    answers = [step for step in last if not reading.trace.messages[step].tool_calls]
    sound = [
        step
        for step in (*sorted(calling), *answers)
        if step not in faulty and step not in reading.cut_steps
    ]
    return tuple(sorted(sorted(sound, key=lambda step: _lot(reading.trace.id, step))[:most]))


def _lot(trace_id: str, step: int) -> str:
    return hashlib.sha256(f"{trace_id}:{step}".encode()).hexdigest()


def _has_passed(reading: Reading) -> bool:
    """By its own reward, else by feedback that is good throughout."""
    if reading.trace.outcome.reward is not None:
        return reading.has_passed
    scores = [said.score for said in reading.trace.feedback if said.score is not None]
    return bool(scores) and min(scores) > 0.5
