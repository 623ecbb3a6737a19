import pytest

from tests.curation.conversations import calls, reply, user
from tracemill.curation.grounding import ungrounded_values

PREFIX = (
    user("Fly one-way with my card_77 on May 20"),
    reply('{"price": 305, "date": "2024-05-20"}'),
)


@pytest.mark.parametrize(
    ("value", "is_grounded"),
    [
        ("card_77", True),
        ("CARD 77", True),
        ("one_way", True),
        ("2024-05-20", True),
        (305, True),
        (3, True),
        (True, True),
        ("card_78", False),
        (306, False),
        (["card_77", "card_7"], False),
        ({"who": "mine"}, True),
    ],
)
def test_a_value_is_grounded_if_it_was_shown_or_the_agent_itself_wrote_it(
    value: int | str | bool, is_grounded: bool
) -> None:
    failing = calls("book", who="mine")

    unknown = ungrounded_values(calls("book", pay=value), failing, PREFIX)

    assert (unknown == ()) == is_grounded
