"""The shop: its orders and tables, and the rules of the house.

A pending order is cancelled, a delivered one is refunded; what is on its way can only be moved to
another day. Each action returns what the customer is told, or refuses in words.
"""

from collections.abc import Callable
from typing import Any, Literal

from examples.support_desk.tools import (
    EUROS,
    Arguments,
    Booking,
    Conversion,
    Delivery,
    OneOrder,
    RefusedError,
)
from tracemill.record import Record

LARGEST_PARTY = 8
CLOSED = "Monday"
OPENS, CLOSES = 5, 9
"""First and last hour of the evening at which a table can be booked."""

OrderStatus = Literal["pending", "shipped", "delivered", "cancelled", "refunded"]


class Order(Record):
    """One order of the customer who writes."""

    item: str
    status: OrderStatus
    day: str
    """Of the delivery."""


class Shop:
    """The world that the tools act on."""

    def __init__(self, orders: dict[int, Order], free_seats: dict[str, int]) -> None:
        self.orders = dict(orders)
        self.free_seats = dict(free_seats)
        self._actions: dict[str, Callable[[Any], str]] = {
            "status": self._status,
            "cancel": self._cancel,
            "refund": self._refund,
            "reschedule": self._reschedule,
            "book": self._book,
            "convert": self._convert,
        }

    def act(self, tool: str, arguments: Arguments) -> str:
        """Return what the customer is told; RefusedError where a rule forbids it."""
        return self._actions[tool](arguments)

    def _status(self, wanted: OneOrder) -> str:
        order = self._order(wanted.order)
        when = f", delivery on {order.day}" if order.status in ("pending", "shipped") else ""
        return f"Order {wanted.order} ({order.item}) is {order.status}{when}."

    def _cancel(self, wanted: OneOrder) -> str:
        order = self._order(wanted.order)
        if order.status == "delivered":
            raise RefusedError(f"order {wanted.order} was delivered: it can be refunded")
        if order.status != "pending":
            raise RefusedError(f"order {wanted.order} is {order.status}: it cannot be cancelled")
        self._change(wanted.order, status="cancelled")
        return f"Order {wanted.order} is cancelled."

    def _refund(self, wanted: OneOrder) -> str:
        order = self._order(wanted.order)
        if order.status == "pending":
            raise RefusedError(f"order {wanted.order} was not delivered: it can be cancelled")
        if order.status != "delivered":
            raise RefusedError(f"order {wanted.order} is {order.status}: it cannot be refunded")
        self._change(wanted.order, status="refunded")
        return f"Order {wanted.order} is refunded."

    def _reschedule(self, wanted: Delivery) -> str:
        order = self._order(wanted.order)
        if order.status not in ("pending", "shipped"):
            raise RefusedError(f"order {wanted.order} is {order.status}: there is nothing to bring")
        self._change(wanted.order, day=wanted.day)
        return f"Order {wanted.order} comes on {wanted.day}."

    def _book(self, wanted: Booking) -> str:
        if wanted.people > LARGEST_PARTY:
            raise RefusedError(f"no table is larger than {LARGEST_PARTY} people")
        if wanted.day == CLOSED or not OPENS <= int(wanted.time.removesuffix("pm")) <= CLOSES:
            raise RefusedError(f"the restaurant is closed on {wanted.day} at {wanted.time}")
        free = self.free_seats.get(wanted.day, 0)
        if wanted.people > free:
            raise RefusedError(f"only {free} seats are free on {wanted.day}")
        self.free_seats[wanted.day] = free - wanted.people
        return f"A table for {wanted.people} is booked on {wanted.day} at {wanted.time}."

    def _convert(self, wanted: Conversion) -> str:
        worth = wanted.amount * EUROS[wanted.source] / EUROS[wanted.target]
        return f"{wanted.amount:g} {wanted.source} is {worth:.2f} {wanted.target}."

    def _order(self, number: int) -> Order:
        if number not in self.orders:
            raise RefusedError(f"there is no order {number}")
        return self.orders[number]

    def _change(self, number: int, **changes: str) -> None:
        self.orders[number] = self.orders[number].model_copy(update=changes)
