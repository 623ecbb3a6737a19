from hypothesis import given
from hypothesis import strategies as st

from tests.curation.conversations import calls, reply, says, user
from tracemill.curation.reach import beginning_of, conversation_key, conversation_text
from tracemill.ingest.trace import Message

TEXTS = st.text(alphabet="aB \t\n9", max_size=12)


def system(text: str) -> Message:
    return Message(role="system", content=text)


def test_case_blanks_ids_and_system_prompts_are_put_aside() -> None:
    one = (
        system("a"),
        user("Refund  332"),
        calls("refund", {"n": 1}, id_="x"),
        reply("OK", id_="x"),
    )
    other = (user("refund 332"), calls("refund", '{ "n": 1}', id_="y"), reply("ok ", id_="y"))

    assert conversation_key(one) == conversation_key(other)
    assert conversation_key(one) != conversation_key(other[:2])
    assert conversation_key(one) != conversation_key((*other[:2], says("ok")))


@given(st.lists(TEXTS, max_size=3), st.lists(TEXTS, max_size=3))
def test_what_says_the_same_begins_the_same(left: list[str], right: list[str]) -> None:
    one, other = [user(text) for text in left], [user(text.swapcase()) for text in right]

    if conversation_key(one) == conversation_key(other):
        assert beginning_of(one) == beginning_of(other)


def test_the_text_holds_what_was_said_and_called() -> None:
    assert conversation_text((system("x"), user("a"), calls("f", {"b": 1}))) == 'a\n\nf {"b":1}'
