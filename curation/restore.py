"""Restore: an environment as it was at the end of a recorded conversation.

The environment is set up from the state that the trace or task carries, and the conversation's
calls are made again. A call whose recorded reply is an outage never reached the world, and one
that no tool could take did nothing: neither is made.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from pydantic import JsonValue

from tracemill.curation.calls import MadeCall, calls_of
from tracemill.curation.environment import (
    Environment,
    ToolReply,
    close_environment,
    load_environment,
)
from tracemill.curation.task import Task
from tracemill.errors import EnvironmentFailedError, UnrecordedCallError
from tracemill.ingest.trace import Message


@contextmanager
def environment_of(task: Task) -> Iterator[Environment | None]:
    """Lend the task's environment as it is at the end of its prompt; None if it has none.

    It is closed afterwards. Raises EnvironmentFailedError where the user's code fails.
    """
    if task.environment is None:
        yield None
        return
    environment = load_environment(task.environment.factory)
    try:
        restore(environment, task.environment.state, task.prompt)
        yield environment
    finally:
        close_environment(environment)


def restore(environment: Environment, state: JsonValue, messages: Sequence[Message]) -> None:
    """Set the environment up from `state`, then make the conversation's calls again.

    Raises EnvironmentFailedError where the user's code fails.
    """
    try:
        environment.reset(state)
    except Exception as error:
        raise EnvironmentFailedError(
            f"the environment cannot be set up: {error!r}; check the state that the traces carry"
        ) from error
    for made in calls_of(messages):
        _make_again(environment, made)


def _make_again(environment: Environment, made: MadeCall) -> None:
    arguments = made.arguments
    if arguments is None or made.met_an_outage:
        return
    if any(tool.name == made.call.name for tool in environment.tools):
        call_tool(environment, made.call.name, arguments)


def call_tool(environment: Environment, name: str, arguments: dict[str, JsonValue]) -> ToolReply:
    """Return the tool's reply.

    Raises EnvironmentFailedError where the user's code raises, UnrecordedCallError where recorded
    replies hold none to this call.
    """
    try:
        return environment.call(name, arguments)
    except (EnvironmentFailedError, UnrecordedCallError):
        raise
    except Exception as error:
        raise EnvironmentFailedError(
            f"the environment failed at a call of {name!r}: {error!r}"
        ) from error
