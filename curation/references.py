"""References: which step failed, and what should have been said there instead.

A proposal comes from a correction (somebody's feedback), an expectation (the calls that the
episode should have made) or a recovery (the agent's own later call that went through). Where
no source is clear there is a reason, and no task.
"""

from collections.abc import Iterator
from typing import NamedTuple

import orjson

from tracemill.curation.calls import MadeCall
from tracemill.curation.detectors.reading import Reading
from tracemill.curation.expectation import deviation, unmade_calls
from tracemill.curation.grounding import ungrounded_values
from tracemill.curation.recovery import recoveries
from tracemill.curation.task import ReferenceOrigin
from tracemill.ingest.trace import ExpectedCall, Feedback, Message, ToolCall

ENVIRONMENT_FAILED = "the environment failed"
CHECK_NOT_RUN = "a check of the team's could not be run"
PASSING = (ENVIRONMENT_FAILED, CHECK_NOT_RUN)
"""Why there is no task (or row) for now: what failed may be back the next time."""


class Proposal(NamedTuple):
    """A step and what should have been said there."""

    step: int
    """Index of the assistant message at fault."""
    reference: Message
    origin: ReferenceOrigin


class Refusal(NamedTuple):
    """Why no task comes of something, in words that can be counted."""

    reason: str


def propose(reading: Reading) -> tuple[Proposal | Refusal, ...]:
    """Return a proposal for each step at fault, and why others have none; earliest step first.

    Where two sources speak of one step, a correction goes before an expectation, that before a
    recovery.
    """
    found: dict[int, Proposal] = {}
    refusals: list[Refusal] = []
    for each in (*_corrections(reading), *_expectations(reading), *_recoveries(reading)):
        if isinstance(each, Refusal):
            refusals.append(each)
        else:
            found.setdefault(each.step, each)
    return (*(found[step] for step in sorted(found)), *refusals)


def _corrections(reading: Reading) -> Iterator[Proposal | Refusal]:
    for said in reading.trace.feedback:
        if said.correction is None or said.retracted:
            continue
        step = _corrected_step(said, said.correction, reading)
        if step is None:
            yield Refusal("a correction does not say which step it means")
        else:
            yield Proposal(step, said.correction, "correction")


def _corrected_step(said: Feedback, correction: Message, reading: Reading) -> int | None:
    """The step that the feedback names, else the only one it can mean."""
    if said.step is not None:
        return said.step if said.step in reading.assistant_steps else None
    if len(reading.assistant_steps) == 1:
        return reading.assistant_steps[0]
    wanted = {call.name for call in correction.tool_calls}
    with_calls = sorted({made.step for made in reading.calls})
    same_tool = sorted({made.step for made in reading.calls if made.call.name in wanted})
    if len(same_tool) == 1:
        return same_tool[0]
    return with_calls[0] if len(with_calls) == 1 else None


def _expectations(reading: Reading) -> Iterator[Proposal | Refusal]:
    expected = reading.trace.outcome.expected_calls
    if reading.has_passed or not expected:
        return
    found = deviation(expected, reading.calls)
    if found is None:
        yield from _expected_in_place_of_words(reading)
    elif len(found.meant) > 1:
        yield Refusal("several expected calls could be meant")
    else:
        failing = reading.trace.messages[found.made.step]
        yield _grounded(
            Proposal(
                found.made.step, _replaced(failing, found.made, found.meant[0]), "expectation"
            ),
            reading,
        )


def _expected_in_place_of_words(reading: Reading) -> Iterator[Proposal | Refusal]:
    """The one expected call, where the agent's one message only spoke."""
    unmade = unmade_calls(reading.trace.outcome.expected_calls, reading.calls)
    if reading.calls or len(unmade) != 1 or len(reading.assistant_steps) != 1:
        yield Refusal("no call deviates clearly from the expected ones")
        return
    step = reading.assistant_steps[0]
    reference = Message(role="assistant", tool_calls=(_call(unmade[0], f"call-{step}"),))
    yield _grounded(Proposal(step, reference, "expectation"), reading)


def _recoveries(reading: Reading) -> Iterator[Proposal | Refusal]:
    """The agent's own mending; in an episode that failed, nothing says that it was right."""
    for found in recoveries(reading.trace.messages, reading.calls):
        if reading.has_failed:
            yield Refusal("the episode failed in spite of the recovery")
        elif not found.is_about_the_same:
            yield Refusal("the recovery is about something else")
        else:
            mended = reading.trace.messages[found.mended.step]
            yield _grounded(Proposal(found.refused.step, mended, "recovery"), reading)


def _grounded(proposal: Proposal, reading: Reading) -> Proposal | Refusal:
    messages = reading.trace.messages
    unknown = ungrounded_values(
        proposal.reference, messages[proposal.step], messages[: proposal.step]
    )
    if unknown:
        return Refusal("the reference holds a value that the conversation had not shown")
    return proposal


def _replaced(failing: Message, made: MadeCall, want: ExpectedCall) -> Message:
    """The failing message's calls with the one at fault put right."""
    calls = tuple(
        _call(want, call.id) if call is made.call else call for call in failing.tool_calls
    )
    return Message(role="assistant", content=None, tool_calls=calls)


def _call(want: ExpectedCall, call_id: str) -> ToolCall:
    return ToolCall(id=call_id, name=want.name, arguments=orjson.dumps(want.arguments).decode())
