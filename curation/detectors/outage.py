"""Outage: a tool, a model or the harness failed around the agent."""

from collections.abc import Iterator

from tracemill.curation.detectors.reading import Claim, Reading
from tracemill.curation.infrastructure import names_an_outage
from tracemill.curation.shape import first_line, shape_of


def find_outages(reading: Reading) -> Iterator[Claim]:
    """Yield one claim for each tool reply, model call or episode that an outage spoiled."""
    for made in reading.calls:
        if made.met_an_outage and made.error is not None:
            said = first_line(made.error)
            yield Claim(made.step, f"{made.call.name}: {said}", made.error, made.call.name)
    for step in reading.trace.steps:
        if step.error is not None:
            yield Claim(step.message, f"the model call failed: {_head(step.error)}", step.error)
    yield from _episode(reading)


def _episode(reading: Reading) -> Iterator[Claim]:
    trace = reading.trace
    if trace.outcome.error:
        kind = "the provider" if names_an_outage(trace.outcome.error) else "the harness"
        yield Claim(None, f"{kind} failed: {_head(trace.outcome.error)}", trace.outcome.error)
    elif not trace.has_content:
        yield Claim(None, "the trace was not captured: its content is missing", "no content")
    elif not reading.assistant_steps:
        yield Claim(
            None,
            "the trace was not captured: no assistant message",
            f"{len(trace.messages)} messages",
        )


def _head(error: str) -> str:
    return shape_of(first_line(error))
