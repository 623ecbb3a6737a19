"""SupportDesk: the environment that is plugged into Tracemill.

Its state is the world as a request met it, and what the request wanted. Its verdict comes from
what was done in that world, never from what was said: the wish was carried out, and nothing
else was changed.
"""

from pydantic import JsonValue

from examples.support_desk.shop import Order, Shop
from examples.support_desk.tools import TOOLS, Arguments, Call, RefusedError, parse_arguments
from tracemill.curation.environment import ToolReply
from tracemill.ingest.trace import ToolSpec
from tracemill.record import Record

FACTORY = "examples.support_desk.environment:SupportDesk"
"""How the settings name this environment."""

_LOOKING = frozenset({"status", "convert"})
"""Tools that change nothing: an agent may look around."""


class DeskState(Record):
    """The world as a request meets it, and the wish behind the request."""

    orders: dict[int, Order]
    """The customer's, by number."""
    free_seats: dict[str, int]
    """In the restaurant, by day."""
    wish: Call
    """The call that fulfils the request."""


class SupportDesk:
    """The desk of a store: orders, its restaurant's tables, and a currency counter."""

    def __init__(self) -> None:
        self._shop = Shop({}, {})
        self._wish: tuple[str, Arguments] | None = None
        self._done: list[tuple[str, Arguments]] = []

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools it offers, with JSON schemas."""
        return TOOLS

    def reset(self, state: JsonValue) -> None:
        """Set the world up from a `DeskState` as JSON; pydantic's ValidationError if it is none."""
        desk = DeskState.model_validate(state)
        self._shop = Shop(desk.orders, desk.free_seats)
        self._wish = (desk.wish.name, parse_arguments(desk.wish.name, desk.wish.arguments))
        self._done = []

    def call(self, name: str, arguments: dict[str, JsonValue]) -> ToolReply:
        """Make one tool call; what the desk refuses is a reply with `is_error`."""
        try:
            parsed = parse_arguments(name, arguments)
            told = self._shop.act(name, parsed)
        except RefusedError as refusal:
            return ToolReply(f"Error: {refusal}", is_error=True)
        self._done.append((name, parsed))
        return ToolReply(told)

    def verdict(self) -> float:
        """Return 1 if the wish was carried out and nothing else was changed, else 0."""
        changes = [done for done in self._done if done[0] not in _LOOKING]
        others = [done for done in changes if done != self._wish]
        return float(self._wish in self._done and not others)
