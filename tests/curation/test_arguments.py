import pytest
from pydantic import JsonValue

from tests.curation.conversations import calls, says
from tracemill.curation.arguments import (
    arguments_match,
    call_key,
    differing_arguments,
    says_the_same,
)


@pytest.mark.parametrize(
    ("wanted", "found", "same"),
    [
        ({"amount": 5}, {"amount": "5.00"}, True),
        ({"amount": 0.1 + 0.2}, {"amount": 0.3}, True),
        ({"name": "Mia"}, {"name": " mia "}, True),
        ({"tags": ["a", 1]}, {"tags": ["A", "1"]}, True),
        ({"tags": ["a", "b"]}, {"tags": ["b", "a"]}, False),
        ({"zip": "02139"}, {"zip": "2139"}, False),
        ({"id": 10}, {"id": "1_0"}, False),
        ({"on": True}, {"on": 1}, False),
        ({"on": True}, {"on": "true"}, False),
        ({"who": {"name": "Mia", "age": None}}, {"who": {"name": "mia"}}, True),
        ({"x": float("inf")}, {"x": "infinity"}, False),
    ],
)
def test_what_counts_as_the_same_arguments(
    wanted: dict[str, JsonValue], found: dict[str, JsonValue], same: bool
) -> None:
    assert arguments_match(wanted, found) == same
    assert arguments_match(found, wanted) == same


def test_the_arguments_that_differ_are_named() -> None:
    assert differing_arguments({"a": 1, "b": 2}, {"b": 3, "c": 4}) == ("a", "b", "c")


def test_a_call_has_one_key_whatever_the_order_and_blanks_of_its_json() -> None:
    left = calls("pay", '{"to": "Mia", "amount": 5}').tool_calls[0]
    right = calls("pay", '{"amount":5,"to":" mia"}').tool_calls[0]

    assert call_key(left) == call_key(right)
    assert call_key(left) != call_key(calls("pay", "Mia, 5").tool_calls[0])


def test_messages_say_the_same_by_their_calls_else_by_their_words() -> None:
    assert says_the_same(calls("pay", to="Mia"), calls("pay", to="mia", id_="other"))
    assert says_the_same(says("All  done."), says("all done."))
    assert not says_the_same(says("all done"), calls("pay", to="Mia"))
