from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tests.fixtures.tiny_rows import make_rows
from tracemill.training.choose import choose_examples, choose_pairs

ROWS = make_rows(5, failures=30, healthy=30)


def test_replay_takes_its_share_of_the_rows() -> None:
    chosen = choose_examples(ROWS.examples, replay_share=0.25)

    assert len(chosen.mended) == 30
    assert len(chosen.replayed) == 10


def test_slices_take_turns() -> None:
    chosen = choose_examples(ROWS.examples, replay_share=0.5, limit=24)

    assert Counter(row.slice for row in chosen.mended) == {"refund": 6, "convert": 6}
    assert Counter(row.slice for row in chosen.replayed) == {"book": 4, "cancel": 4, "weather": 4}


@given(limit=st.integers(1, 80), share=st.floats(0, 0.9), healthy=st.integers(0, 30))
def test_what_was_planned_is_chosen_again(limit: int, share: float, healthy: int) -> None:
    examples = ROWS.examples[: 30 + healthy]

    chosen = choose_examples(examples, replay_share=share, limit=limit)
    again = choose_examples(tuple(reversed(examples)), replay_share=share, limit=len(chosen.rows))

    assert 1 <= len(chosen.rows) <= limit
    assert chosen.mended
    assert again == chosen


def test_pairs_are_limited_evenly() -> None:
    assert Counter(pair.slice for pair in choose_pairs(ROWS.pairs, limit=10)) == {
        "refund": 5,
        "convert": 5,
    }
