import pytest

from tests.curation.conversations import calls, reply, says, user
from tracemill.curation.calls import calls_of, error_text
from tracemill.ingest.trace import Message, ToolCall


def test_replies_are_found_by_id_among_what_follows_even_if_ids_come_twice() -> None:
    conversation = (
        user("two things"),
        calls("refund_order", order_id=1, id_="call"),
        reply("done", id_="call"),
        calls("refund_order", order_id=2, id_="call"),
        reply("Error: order 2 not found", id_="call"),
        calls("refund_order", order_id=3, id_="open"),
    )

    made = calls_of(conversation)

    assert [call.step for call in made] == [1, 3, 5]
    assert [call.has_succeeded for call in made] == [True, False, False]
    assert [call.error for call in made] == [None, "Error: order 2 not found", None]


def test_parallel_calls_without_ids_get_their_replies_in_order() -> None:
    both = Message(
        role="assistant",
        tool_calls=(
            ToolCall(id="", name="a", arguments="{}"),
            ToolCall(id="", name="b", arguments="{}"),
        ),
    )
    first, second = (Message(role="tool", content=text) for text in ("one", "two"))

    replies = [made.reply for made in calls_of((both, second, first, says("ok")))]

    assert replies == [second, first]


@pytest.mark.parametrize(
    ("message", "is_error"),
    [
        (reply("Error: no"), True),
        (reply('# var_0 = "Error: no"'), True),
        (reply("ValueError: no"), True),
        (reply("Traceback (most recent call last):"), True),
        (reply("503 Service Unavailable"), True),
        (reply('{"error": "no such user"}'), True),
        (reply('{"status": "error", "why": "x"}'), True),
        (reply('{"error": null, "rows": []}'), False),
        (reply('{"log": "error"}'), False),
        (reply("errors: none"), False),
        (reply("Error: no", is_error=False), False),
        (reply("no", is_error=True), True),
        (reply("", is_error=True), True),
    ],
)
def test_an_error_is_told_by_the_wire_else_by_its_text(message: Message, is_error: bool) -> None:
    assert (error_text(message) is not None) == is_error
