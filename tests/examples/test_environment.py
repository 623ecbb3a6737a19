import pytest
from pydantic import JsonValue, ValidationError

from examples.support_desk.environment import FACTORY, SupportDesk
from tracemill.curation.environment import load_environment

ORDERS: JsonValue = {
    "11": {"item": "lamp", "status": "pending", "day": "Friday"},
    "12": {"item": "kettle", "status": "delivered", "day": "Tuesday"},
    "13": {"item": "clock", "status": "shipped", "day": "Sunday"},
}


def desk(tool: str, **arguments: JsonValue) -> SupportDesk:
    """The desk with a customer who wants this."""
    made = SupportDesk()
    made.reset(
        {
            "orders": ORDERS,
            "free_seats": {"Friday": 6},
            "wish": {"name": tool, "arguments": arguments},
        }
    )
    return made


def test_tracemill_finds_the_desk_by_its_factory() -> None:
    environment = load_environment(FACTORY)

    assert [tool.name for tool in environment.tools] == [
        "status", "cancel", "refund", "reschedule", "book", "convert",
    ]  # fmt: skip


def test_a_wish_that_is_carried_out_is_fulfilled() -> None:
    environment = desk("refund", order=12)
    before = environment.verdict()

    reply = environment.call("refund", {"order": 12})

    assert (before, environment.verdict()) == (0.0, 1.0)
    assert reply == ("Order 12 is refunded.", False)


def test_a_delivered_order_is_refunded_and_a_pending_one_cancelled() -> None:
    environment = desk("cancel", order=11)

    cancelling = environment.call("cancel", {"order": 12})
    refunding = environment.call("refund", {"order": 11})

    assert cancelling == ("Error: order 12 was delivered: it can be refunded", True)
    assert refunding == ("Error: order 11 was not delivered: it can be cancelled", True)
    assert environment.verdict() == 0.0


def test_what_is_on_its_way_is_neither_cancelled_nor_refunded_but_moved() -> None:
    environment = desk("reschedule", order=13, day="Friday")

    refusals = [environment.call(tool, {"order": 13}).is_error for tool in ("cancel", "refund")]
    moved = environment.call("reschedule", {"order": 13, "day": "Friday"})

    assert refusals == [True, True]
    assert moved.content == "Order 13 comes on Friday."
    assert environment.call("status", {"order": 13}).content.endswith("delivery on Friday.")
    assert environment.verdict() == 1.0


def test_looking_around_is_harmless_and_changing_something_else_is_not() -> None:
    curious, careless = desk("refund", order=12), desk("refund", order=12)

    curious.call("status", {"order": 13})
    careless.call("cancel", {"order": 11})
    for environment in (curious, careless):
        environment.call("refund", {"order": 12})

    assert (curious.verdict(), careless.verdict()) == (1.0, 0.0)


def test_words_alone_fulfil_nothing() -> None:
    assert desk("status", order=12).verdict() == 0.0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"people": 7, "day": "Friday", "time": "7pm"}, "only 6 seats are free on Friday"),
        ({"people": 9, "day": "Friday", "time": "7pm"}, "no table is larger than 8 people"),
        ({"people": 2, "day": "Monday", "time": "7pm"}, "the restaurant is closed on Monday"),
        ({"people": 2, "day": "Friday", "time": "10pm"}, "closed on Friday at 10pm"),
        ({"people": 2, "day": "Someday", "time": "7pm"}, "'Someday' is no day of the week"),
        ({"people": 2, "time": "7pm"}, "day is missing"),
        ({"people": 2, "day": "Friday", "time": "7pm", "to": "me"}, "to is not an argument"),
        ({"people": "some", "day": "Friday", "time": "7pm"}, "people: input should be"),
    ],
)
def test_a_table_that_cannot_be_had_is_refused_in_words(
    arguments: dict[str, JsonValue], words: str
) -> None:
    environment = desk("book", people=2, day="Friday", time="7pm")

    reply = environment.call("book", arguments)

    assert reply.is_error
    assert words in reply.content


def test_a_full_restaurant_takes_no_more() -> None:
    environment = desk("book", people=4, day="Friday", time="7pm")

    first = environment.call("book", {"people": 4, "day": "Friday", "time": "7pm"})
    second = environment.call("book", {"people": 4, "day": "Friday", "time": "8pm"})

    assert (first.is_error, second.is_error) == (False, True)


def test_other_spellings_of_a_wish_are_the_wish() -> None:
    environment = desk("book", people=4, day="Friday", time="7pm")

    environment.call("book", {"people": "4", "day": "friday", "time": "19:00"})

    assert environment.verdict() == 1.0


def test_money_is_converted_in_the_direction_that_is_asked() -> None:
    there = desk("convert", amount=20, **{"from": "EUR", "to": "USD"})

    wrong = there.call("convert", {"amount": 20, "from": "USD", "to": "EUR"})
    verdict = there.verdict()
    right = there.call("convert", {"amount": 20.0, "from": "eur", "to": "usd"})

    assert (wrong.content, verdict) == ("20 USD is 18.40 EUR.", 0.0)
    assert (right.content, there.verdict()) == ("20 EUR is 21.74 USD.", 1.0)


def test_an_unknown_tool_or_order_is_refused() -> None:
    environment = desk("status", order=12)

    assert "there is no tool 'fetch'" in environment.call("fetch", {}).content
    assert "there is no order 99" in environment.call("status", {"order": 99}).content


def test_a_new_episode_begins_with_the_world_as_its_state_says() -> None:
    environment = desk("refund", order=12)
    state: JsonValue = {
        "orders": ORDERS,
        "free_seats": {},
        "wish": {"name": "refund", "arguments": {"order": 12}},
    }
    environment.call("refund", {"order": 12})

    environment.reset(state)

    assert environment.verdict() == 0.0
    assert not environment.call("refund", {"order": 12}).is_error


def test_a_state_that_is_none_is_an_error_not_a_verdict() -> None:
    with pytest.raises(ValidationError):
        SupportDesk().reset({"orders": {}})
