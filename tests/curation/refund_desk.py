"""A small environment for the tests: a desk that refunds and cancels orders."""

from pydantic import JsonValue

from tracemill.curation.environment import ToolReply
from tracemill.ingest.trace import ToolSpec

_ORDER_ID = {"type": "object", "properties": {"order_id": {"type": "integer"}}}
TOOLS = (
    ToolSpec(
        name="refund_order",
        parameters={**_ORDER_ID, "required": ["order_id"], "additionalProperties": False},
    ),
    ToolSpec(
        name="cancel_order",
        parameters={**_ORDER_ID, "required": ["order_id"], "additionalProperties": False},
    ),
)


class RefundDesk:
    """Orders, and what was done with them; the state says what is wanted: `{"refund": 332}`."""

    def __init__(self) -> None:
        self.wanted: dict[str, int] = {}
        self.done: list[tuple[str, JsonValue]] = []

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        return TOOLS

    def reset(self, state: JsonValue) -> None:
        assert isinstance(state, dict)
        if state.get("is_down"):
            raise ConnectionError("the order database is down")
        self.wanted = {verb: int(str(order)) for verb, order in state.items()}
        self.done = []

    def call(self, name: str, arguments: dict[str, JsonValue]) -> ToolReply:
        order = arguments.get("order_id")
        if order == 503:
            raise TimeoutError("the order database did not answer")
        if not isinstance(order, int) or order < 100:
            return ToolReply(f"Error: order {order} not found", is_error=True)
        self.done.append((name.removesuffix("_order"), order))
        return ToolReply('{"status": "done"}')

    def verdict(self) -> float:
        return float(self.done == list(self.wanted.items()))


def make_broken() -> RefundDesk:
    """A factory that fails."""
    raise RuntimeError("no such desk")
