"""Environment: what a user plugs in so that tasks can be run and judged again.

A task names a factory (`module:callable`) and a state. The factory makes an environment; `reset`
sets it up as it was when the episode began; the calls of the task's prefix are then made again,
so that the rollout continues from the same world.
"""

import importlib
import warnings
from typing import NamedTuple, Protocol, cast

from pydantic import JsonValue

from tracemill.curation.mcp_address import PREFIX as MCP_PREFIX
from tracemill.curation.mcp_address import parse_address
from tracemill.errors import EnvironmentFailedError
from tracemill.ingest.trace import ToolSpec


class ToolReply(NamedTuple):
    """What a tool answered."""

    content: str
    is_error: bool = False


class Environment(Protocol):
    """A small world with tools, state and its own verdict."""

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools it offers, with JSON schemas."""
        ...

    def reset(self, state: JsonValue) -> None:
        """Set the world up from the state that a trace or task carries."""
        ...

    def call(self, name: str, arguments: dict[str, JsonValue]) -> ToolReply:
        """Make one tool call. A refusal by the tool is a reply with `is_error`, no exception;
        an exception is infrastructure, and so is an error that names an outage where the request
        is not fulfilled after it."""
        ...

    def verdict(self) -> float:
        """Return 0 to 1: how far the request of this episode is fulfilled now."""
        ...


def close_environment(environment: Environment) -> None:
    """Let an environment that has a `close` let go of what it holds; a rollout is over by then."""
    close = getattr(environment, "close", None)
    if not callable(close):
        return
    try:
        close()
    except Exception as error:  # noqa: BLE001 - user code, after all that counts was judged
        warnings.warn(f"an environment could not be closed: {error!r}", stacklevel=2)


def load_environment(factory: str) -> Environment:
    """Return a fresh environment from `module:callable`, or the one at an http(s) or MCP address.

    The factory is named by the team's settings, never by a trace: loading it runs its code.
    Raises EnvironmentFailedError where it cannot be imported or made.
    """
    if factory.startswith(("http://", "https://")):
        from tracemill.curation.http_environment import HttpEnvironment

        return HttpEnvironment(factory)
    if factory.startswith(MCP_PREFIX):
        return _load_mcp(factory)
    module_name, _, attribute = factory.partition(":")
    if not module_name or not attribute:
        raise EnvironmentFailedError(
            f"environment {factory!r} names no factory: write it as module:callable, or an http or mcp+http address"
        )
    try:
        make = getattr(importlib.import_module(module_name), attribute)
        return cast(Environment, make())
    except Exception as error:
        raise EnvironmentFailedError(
            f"environment {factory!r} cannot be made: {error!r}; "
            "check that the module can be imported and the callable takes no argument"
        ) from error


def gives_verdict(factory: str) -> bool:
    """Return whether the environment judges an episode, as far as its address tells."""
    return not factory.startswith(MCP_PREFIX) or parse_address(factory).settings.verdict is not None


def needs_state(factory: str) -> bool:
    """Return whether the environment is set up from the state that a trace carries."""
    return not factory.startswith(MCP_PREFIX) or parse_address(factory).settings.reset is not None


def _load_mcp(address: str) -> Environment:
    try:
        from tracemill.curation.mcp_environment import McpEnvironment
    except ModuleNotFoundError as error:
        raise EnvironmentFailedError(
            f"environment {address!r} needs the extra: pip install 'tracemill[mcp]'"
        ) from error
    try:
        return McpEnvironment(parse_address(address))
    except ValueError as error:
        raise EnvironmentFailedError(f"environment {error}") from error
