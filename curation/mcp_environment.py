"""McpEnvironment: an environment behind a server of the Model Context Protocol.

Its tools are the server's. An episode is a session of its own: over HTTP one that the server
keeps under its session id (so the handshake of protocol versions before 2026 is asked for: later
ones have no sessions), over stdio a process of its own. A tool's error is the agent's; a fault of
the connection, a timeout, a crash, and an error that names an outage are infrastructure.

https://modelcontextprotocol.io/specification/2025-11-25
"""

import os
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, suppress
from typing import TextIO, TypeVar

import anyio
import httpx2
import orjson
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import INVALID_PARAMS, CallToolResult, TextContent, Tool
from pydantic import JsonValue

from tracemill.curation.environment import ToolReply
from tracemill.curation.infrastructure import names_an_outage
from tracemill.curation.mcp_address import McpAddress
from tracemill.curation.shape import first_line
from tracemill.errors import EnvironmentFailedError
from tracemill.ingest.trace import ToolSpec

T = TypeVar("T")

_MOST_PAGES = 100
_GRACE_SECONDS = 2.0


class McpEnvironment:
    """The environment at `address`; `close` ends its session."""

    def __init__(self, address: McpAddress) -> None:
        self._address = address
        self._settings = address.settings
        self._session: _Session | None = None
        self._tools: tuple[ToolSpec, ...] | None = None

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools that the server offers the agent, asked for once."""
        if self._tools is None:
            listed = self._ask("list its tools", _all_tools)
            own = (self._settings.reset, self._settings.verdict)
            self._tools = tuple(_spec(tool) for tool in listed if tool.name not in own)
        return self._tools

    def reset(self, state: JsonValue) -> None:
        """Begin a session, and set it up from the state where a tool is named for that."""
        self.close()
        self._open()
        if self._settings.reset is not None:
            self._call_own(self._settings.reset, {"state": state})

    def call(self, name: str, arguments: dict[str, JsonValue]) -> ToolReply:
        """Make one tool call in the session."""
        if not any(tool.name == name for tool in self.tools):
            return ToolReply(f"Error: no tool is named {name!r}", is_error=True)
        result = self._ask(
            f"answer a call of {name!r}", lambda client: _call(client, name, arguments)
        )
        said = _text(result)
        if result.is_error and names_an_outage(said):
            raise self._failed(f"answer a call of {name!r}", said)
        return ToolReply(said, is_error=result.is_error)

    def verdict(self) -> float:
        """Return the verdict of the tool that is named for it, 0 to 1."""
        if self._settings.verdict is None:
            raise EnvironmentFailedError(
                f"the environment at {self._place} gives no verdict: add #verdict=TOOL to its address"
            )
        result = self._call_own(self._settings.verdict, {})
        try:
            return _number(orjson.loads(_text(result)))
        except (orjson.JSONDecodeError, TypeError) as error:
            raise self._failed("give a number as its verdict", _text(result)) from error

    def close(self) -> None:
        """End the session: its server is told, or its process ended."""
        session, self._session, self._tools = self._session, None, None
        if session is not None:
            session.close()

    def _open(self) -> "_Session":
        if self._session is None:
            try:
                self._session = _Session(self._address)
            except Exception as error:
                raise self._failed("start a session", _cause(error)) from error
        return self._session

    def _call_own(self, tool: str, arguments: dict[str, JsonValue]) -> CallToolResult:
        """Call a tool that is not the agent's: its error is infrastructure."""
        result = self._ask(f"answer {tool!r}", lambda client: client.call_tool(tool, arguments))
        if result.is_error:
            raise self._failed(f"answer {tool!r}", _text(result))
        return result

    def _ask(self, what: str, ask: Callable[[Client], Awaitable[T]]) -> T:
        session = self._open()
        try:
            return session.ask(ask)
        except Exception as error:
            raise self._failed(what, _cause(error)) from error

    def _failed(self, what: str, why: str) -> EnvironmentFailedError:
        return EnvironmentFailedError(f"the MCP server at {self._place} did not {what}: {why}")

    @property
    def _place(self) -> str:
        return self._address.url or " ".join(self._address.command)


class _Session:
    """A session with its server, in an event loop on a thread of its own."""

    def __init__(self, address: McpAddress) -> None:
        self._seconds = address.settings.seconds
        with ExitStack() as held:
            said = held.enter_context(tempfile.TemporaryFile("w+", errors="replace"))
            self._portal: BlockingPortal = held.enter_context(start_blocking_portal())
            try:
                self._client: Client = held.enter_context(
                    self._portal.wrap_async_context_manager(_connected(address, said))
                )
            except Exception as error:
                raise _with_words_of(said, error) from error
            self._said = said
            self._held = held.pop_all()

    def ask(self, ask: Callable[[Client], Awaitable[T]]) -> T:
        """Return what the server answers."""
        try:
            return self._portal.call(self._within_time, ask)
        except Exception as error:
            raise _with_words_of(self._said, error) from error

    async def _within_time(self, ask: Callable[[Client], Awaitable[T]]) -> T:
        # the client has a limit too, but does not keep it where its connection is gone
        with anyio.fail_after(self._seconds + _GRACE_SECONDS):
            return await ask(self._client)

    def close(self) -> None:
        """End the session and the thread."""
        with suppress(Exception):  # a server that is gone has said so where it was asked
            self._held.close()


@asynccontextmanager
async def _connected(address: McpAddress, said: TextIO) -> AsyncIterator[Client]:
    """A client that has shaken hands with the server; what a process writes as its errors is kept."""
    seconds = address.settings.seconds
    async with AsyncExitStack() as held:
        if address.url is None:
            program, *arguments = address.command
            process = StdioServerParameters(command=program, args=arguments, env=dict(os.environ))
            transport = stdio_client(process, errlog=said)
        else:
            timeout = httpx2.Timeout(seconds, read=seconds + _GRACE_SECONDS)
            http = httpx2.AsyncClient(headers=_headers(address), timeout=timeout)
            await held.enter_async_context(http)
            transport = streamable_http_client(address.url, http_client=http)
        client = Client(transport, mode="legacy", read_timeout_seconds=seconds, cache=None)
        yield await held.enter_async_context(client)


def _headers(address: McpAddress) -> dict[str, str]:
    variable = address.settings.key_variable
    if variable is None:
        return {}
    key = os.environ.get(variable)
    if not key:
        raise EnvironmentFailedError(f"no key in the environment variable {variable!r}: set it")
    return {"Authorization": f"Bearer {key}"}


async def _all_tools(client: Client) -> list[Tool]:
    tools: list[Tool] = []
    cursor = None
    for _ in range(_MOST_PAGES):
        page = await client.list_tools(cursor=cursor)
        tools += page.tools
        cursor = page.next_cursor
        if cursor is None:
            break
    return tools


def _spec(tool: Tool) -> ToolSpec:
    return ToolSpec(
        name=tool.name, description=tool.description or "", parameters=tool.input_schema
    )


async def _call(client: Client, name: str, arguments: dict[str, JsonValue]) -> CallToolResult:
    """The tool's result; arguments that the protocol itself refuses are the agent's error too."""
    try:
        return await client.call_tool(name, arguments)
    except MCPError as error:
        if error.code != INVALID_PARAMS:
            raise
        refusal = TextContent(type="text", text=f"Error: {error.message}")
        return CallToolResult(content=[refusal], is_error=True)


def _text(result: CallToolResult) -> str:
    """The texts of a result, one below the other; what is no text as JSON."""
    if not result.content and result.structured_content is not None:
        return orjson.dumps(result.structured_content).decode()
    return "\n".join(
        block.text if isinstance(block, TextContent) else block.model_dump_json(exclude_none=True)
        for block in result.content
    )


def _number(verdict: object) -> float:
    """TypeError if it is neither a number nor true or false."""
    if not isinstance(verdict, int | float):
        raise TypeError(f"{verdict!r} is no number")
    return float(verdict)


def _cause(error: BaseException) -> str:
    """The first fault in a group of them, in words, with what was noted beside it."""
    cause = error
    while isinstance(cause, BaseExceptionGroup):
        cause = cause.exceptions[0]
    notes = getattr(error, "__notes__", [])
    return "; ".join((str(cause) or type(cause).__name__, *notes))


def _with_words_of(said: TextIO, error: Exception) -> Exception:
    """The error, with the last line that the server's process wrote as its errors."""
    said.seek(0)
    lines = [line.strip() for line in said if line.strip()]
    if lines:
        error.add_note(f"it wrote {first_line(lines[-1])!r}")
    return error
