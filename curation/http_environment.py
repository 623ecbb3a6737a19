"""HttpEnvironment: an environment behind a small HTTP server, in whatever language it is written.

Requests and replies are JSON; every episode has a session of its own, so that many can run at once:

    GET  /tools                               → [{"name", "description", "parameters"}, …]
    POST /reset    {"state"}                  → {"session"}
    POST /call     {"session", "name", "arguments"} → {"content", "is_error"}
    POST /verdict  {"session"}                → {"verdict"}

Any other answer, or none, is infrastructure: EnvironmentFailedError, never a reward.
"""

from typing import TypeVar
from urllib.error import URLError
from urllib.request import Request, urlopen

import orjson
from pydantic import JsonValue, TypeAdapter, ValidationError

from tracemill.curation.environment import ToolReply
from tracemill.errors import EnvironmentFailedError
from tracemill.ingest.trace import ToolSpec
from tracemill.record import Record

T = TypeVar("T")

_SECONDS = 30.0
_TOOLS = TypeAdapter(tuple[ToolSpec, ...])


class _Session(Record):
    session: str


class _Reply(Record):
    content: str
    is_error: bool = False


class _Verdict(Record):
    verdict: float


class HttpEnvironment:
    """The environment at `url`, which begins with http:// or https://."""

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")
        self._session: str | None = None
        self._tools: tuple[ToolSpec, ...] | None = None

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools that the server offers, asked for once."""
        if self._tools is None:
            self._tools = self._ask("tools", None, _TOOLS)
        return self._tools

    def reset(self, state: JsonValue) -> None:
        """Begin a session from this state."""
        self._session = self._ask("reset", {"state": state}, TypeAdapter(_Session)).session

    def call(self, name: str, arguments: dict[str, JsonValue]) -> ToolReply:
        """Make one tool call in the session."""
        body: dict[str, JsonValue] = {
            "session": self._session,
            "name": name,
            "arguments": arguments,
        }
        reply = self._ask("call", body, TypeAdapter(_Reply))
        return ToolReply(reply.content, reply.is_error)

    def verdict(self) -> float:
        """Return the server's verdict on the session, 0 to 1."""
        return self._ask("verdict", {"session": self._session}, TypeAdapter(_Verdict)).verdict

    def _ask(self, what: str, body: dict[str, JsonValue] | None, reply: TypeAdapter[T]) -> T:
        address = f"{self._url}/{what}"
        request = Request(  # noqa: S310 - the scheme was checked where the factory was read
            address,
            data=None if body is None else orjson.dumps(body),
            headers={"Content-Type": "application/json"},
        )
        try:
            with urlopen(request, timeout=_SECONDS) as response:  # noqa: S310 - as above
                return reply.validate_json(response.read())
        except (URLError, OSError, ValidationError) as error:
            raise EnvironmentFailedError(
                f"the environment at {address} did not answer as it should: {error}"
            ) from error
