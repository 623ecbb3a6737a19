"""MCP address: where an environment's MCP server is, and which of its tools set it up and judge it.

    mcp+http://127.0.0.1:8000/mcp#reset=start_episode&verdict=score
    mcp+stdio:python -m desk.server#reset=start_episode&verdict=score&seconds=10

Before the "#" stands the server: an http(s) address (streamable HTTP), or a command that no shell
reads. After it: `reset`, the tool that takes the state; `verdict`, the tool that answers from 0 to
1; `seconds` a request may take (30); `key_variable`, the environment variable of the bearer token.
"""

import shlex
from urllib.parse import parse_qsl

from pydantic import ConfigDict, Field, ValidationError

from tracemill.record import Record

PREFIX = "mcp+"
_STDIO = "mcp+stdio:"
_HTTP = ("mcp+http://", "mcp+https://")


class McpSettings(Record):
    """What stands after the "#"."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    reset: str | None = Field(default=None, min_length=1)
    """The tool that sets the world up: it is called with `{"state": …}`."""
    verdict: str | None = Field(default=None, min_length=1)
    """The tool that says, 0 to 1, how far the request is fulfilled."""
    seconds: float = Field(default=30.0, gt=0)
    """That a request may take."""
    key_variable: str | None = None
    """The environment variable that holds an HTTP server's bearer token."""


class McpAddress(Record):
    """A server, and how it is used."""

    url: str | None
    """Of streamable HTTP; None where it is a command."""
    command: tuple[str, ...] = ()
    """Program and arguments."""
    settings: McpSettings = McpSettings()


def parse_address(text: str) -> McpAddress:
    """Return the address; ValueError, in words, if it is none."""
    server, _, rest = text.partition("#")
    try:
        settings = McpSettings.model_validate(dict(parse_qsl(rest, strict_parsing=bool(rest))))
    except ValidationError as error:
        first = error.errors()[0]
        known = ", ".join(McpSettings.model_fields)
        raise ValueError(
            f"{text!r}: {first['loc'][0]!r} after the '#': {first['msg']}; known are {known}"
        ) from error
    if server.startswith(_HTTP):
        return McpAddress(url=server.removeprefix(PREFIX), settings=settings)
    command = tuple(shlex.split(server.removeprefix(_STDIO))) if server.startswith(_STDIO) else ()
    if not command:
        raise ValueError(
            f"{text!r} names no MCP server: write mcp+http://host/path, mcp+https://host/path "
            "or mcp+stdio:command"
        )
    return McpAddress(url=None, command=command, settings=settings)
