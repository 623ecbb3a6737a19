import pytest

from examples.support_desk.handbook import load_handbook
from examples.support_desk.tools import ARGUMENTS, parse_arguments


@pytest.mark.parametrize(
    ("request_text", "tool"),
    [
        ("Hello, please cancel order 1.", "cancel"),
        ("The toaster from order 2 is broken, give me my money back!", "refund"),
        ("Book us a table for 8 on Sunday.", "book"),
        ("How much is 9 SEK in JPY?", "convert"),
        ("Any news of order 4? I am waiting.", "status"),
    ],
)
def test_the_nearest_example_is_of_the_same_kind(request_text: str, tool: str) -> None:
    assert load_handbook().nearest(request_text).call.name == tool


def test_words_that_nobody_knows_still_get_an_example() -> None:
    assert load_handbook().nearest("0815 ?!").call.name in ARGUMENTS


def test_every_example_is_a_call_that_the_desk_takes() -> None:
    handbook = load_handbook()

    for example in handbook.examples:
        assert parse_arguments(example.call.name, example.call.arguments)
        assert handbook.nearest(example.request) == example
