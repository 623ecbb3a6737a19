"""Traffic: what customers ask of the desk, and what they truly want.

One seed gives one stream, and a longer stream begins as the shorter one does. Kinds of request,
phrasing, numbers and manners are drawn; the world of each request lets its wish be fulfilled.
"""

import random
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue

from examples.support_desk.environment import DeskState
from examples.support_desk.shop import CLOSED, CLOSES, LARGEST_PARTY, OPENS, Order, OrderStatus
from examples.support_desk.tools import DAYS, EUROS, Call
from tracemill.record import Record

CUSTOMERS = 120
ITEMS = ("kettle", "lamp", "radio", "toaster", "blender", "jacket", "backpack", "clock")
KINDS = {"status": 22, "cancel": 17, "refund": 17, "reschedule": 16, "book": 14, "convert": 14}
"""Kind of request → how often of a hundred; each is the tool that fulfils it."""
_STATUSES: dict[str, tuple[OrderStatus, ...]] = {
    "status": ("pending", "shipped", "delivered"),
    "cancel": ("pending",),
    "refund": ("delivered",),
    "reschedule": ("pending", "shipped"),
}
"""What an order is when customers write so of it."""
OUTAGE_SHARE = 0.05
"""Share of the requests during which the desk's systems are down."""
SAME_VISIT_SHARE = 0.25
"""Share of the requests by which a customer goes on in the same conversation."""
MEAN_GAP_SECONDS = 45.0


class Phrases(Record):
    """How customers write."""

    greetings: tuple[str, ...]
    closings: tuple[str, ...]
    kinds: dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class Request:
    """One message of a customer to the desk."""

    number: int
    kind: str
    customer: str
    conversation: str
    text: str
    state: DeskState
    seconds: float
    """After the stream began."""
    is_outage: bool
    """Whether the desk's systems are down while it is served."""


class _Visit(NamedTuple):
    customer: str
    conversation: str


class _Subject(NamedTuple):
    """What a request is about."""

    words: dict[str, str]
    """For the places in the phrases."""
    arguments: dict[str, JsonValue]


def load_phrases() -> Phrases:
    """Return how the desk's customers write."""
    content = Path(__file__).with_name("phrases.toml").read_text()
    return Phrases.model_validate(tomllib.loads(content))


def requests(count: int, *, seed: int) -> tuple[Request, ...]:
    """Return the first `count` requests of the stream of this seed."""
    rng = random.Random(f"support desk {seed}")
    phrases = load_phrases()
    stream: list[Request] = []
    visit, seconds = _new_visit(rng, seed, 0), 0.0
    for number in range(count):
        if rng.random() >= SAME_VISIT_SHARE:
            visit = _new_visit(rng, seed, number)
        seconds += rng.expovariate(1 / MEAN_GAP_SECONDS)
        stream.append(_request(rng, phrases, number, visit, seconds))
    return tuple(stream)


def _new_visit(rng: random.Random, seed: int, number: int) -> _Visit:
    return _Visit(f"customer-{rng.randrange(CUSTOMERS):03}", f"desk-{seed}-{number}")


def _request(
    rng: random.Random, phrases: Phrases, number: int, visit: _Visit, seconds: float
) -> Request:
    kind = rng.choices(tuple(KINDS), weights=tuple(KINDS.values()))[0]
    order, item = rng.randint(1000, 9999), rng.choice(ITEMS)
    subject = _subject(rng, kind, order, item)
    return Request(
        number=number,
        kind=kind,
        customer=visit.customer,
        conversation=visit.conversation,
        text=_phrase(rng, phrases, kind, subject.words),
        state=DeskState(
            orders=_orders(rng, kind, order, item),
            free_seats={day: 0 if day == CLOSED else rng.randint(8, 30) for day in DAYS},
            wish=Call(name=kind, arguments=subject.arguments),
        ),
        seconds=seconds,
        is_outage=rng.random() < OUTAGE_SHARE,
    )


def _subject(rng: random.Random, kind: str, order: int, item: str) -> _Subject:
    day = rng.choice([day for day in DAYS if day != CLOSED])
    time = f"{rng.randint(OPENS, CLOSES)}pm"
    people = rng.randint(2, LARGEST_PARTY)
    amount = 5 * rng.randint(2, 60)
    source, target = rng.sample(tuple(EUROS), 2)
    words = {
        "order": str(order), "item": item, "day": day, "time": time, "people": str(people),
        "amount": str(amount), "source": source, "target": target,
    }  # fmt: skip
    arguments: dict[str, dict[str, JsonValue]] = {
        "reschedule": {"order": order, "day": day},
        "book": {"people": people, "day": day, "time": time},
        "convert": {"amount": amount, "from": source, "to": target},
    }
    return _Subject(words, arguments.get(kind, {"order": order}))


def _phrase(rng: random.Random, phrases: Phrases, kind: str, words: dict[str, str]) -> str:
    text = rng.choice(phrases.kinds[kind]).format(**words)
    greeting, closing = rng.choice(phrases.greetings), rng.choice(phrases.closings)
    if not greeting.endswith(", "):
        text = text[0].upper() + text[1:]
    return f"{greeting}{text}{closing}"


def _orders(rng: random.Random, kind: str, order: int, item: str) -> dict[int, Order]:
    """The customer's orders: the one that is meant, where there is one, and two others."""
    statuses: tuple[OrderStatus, ...] = ("pending", "shipped", "delivered")
    orders = {rng.randint(1000, 9999): _order(rng, rng.choice(ITEMS), statuses) for _ in range(2)}
    if kind in _STATUSES:
        orders[order] = _order(rng, item, _STATUSES[kind])
    return orders


def _order(rng: random.Random, item: str, statuses: tuple[OrderStatus, ...]) -> Order:
    return Order(item=item, status=rng.choice(statuses), day=rng.choice(DAYS))
