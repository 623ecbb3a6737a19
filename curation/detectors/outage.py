"""Outage: a tool, a model or the harness failed around the agent, or around one that it called."""

from collections.abc import Iterator

from tracemill.curation.calls import MadeCall, calls_of
from tracemill.curation.detectors.reading import Claim, Nested, Reading
from tracemill.curation.infrastructure import names_an_outage
from tracemill.curation.shape import first_line, shape_of


def find_outages(reading: Reading) -> Iterator[Claim]:
    """Yield one claim for each tool reply, model call or episode that an outage spoiled."""
    for made in reading.calls:
        if made.met_an_outage:
            yield _of_tool(made, made.step)
    for step in reading.trace.steps:
        if step.error is not None:
            yield _of_model(step.error, step.message)
    for nested in reading.sub_agents:
        yield from _within(nested)
    yield from _episode(reading)


def _within(nested: Nested) -> Iterator[Claim]:
    """What spoiled a sub-agent's work spoiled what the main agent made of it."""
    agent = nested.agent
    for made in calls_of(agent.messages):
        if made.met_an_outage:
            yield _of_tool(made, nested.step)
    for step in agent.steps:
        if step.error is not None:
            yield _of_model(step.error, nested.step)
    has_answered = bool(agent.messages) and agent.messages[-1].role == "assistant"
    if agent.error and (names_an_outage(agent.error) or not has_answered):
        text = f"{agent.agent}, a sub-agent, failed: {_head(agent.error)}"
        yield Claim(nested.step, text, agent.error)


def _of_tool(made: MadeCall, step: int | None) -> Claim:
    error = made.error or ""
    return Claim(step, f"{made.call.name}: {first_line(error)}", error, made.call.name)


def _of_model(error: str, step: int | None) -> Claim:
    return Claim(step, f"the model call failed: {_head(error)}", error)


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
