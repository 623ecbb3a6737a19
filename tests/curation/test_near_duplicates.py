import random
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from tracemill.curation.near_duplicates import near_duplicates, within_reach
from tracemill.curation.shingles import shingle

WORDS = [f"word{index}" for index in range(3000)]


def text(seed: int, words: int = 60) -> str:
    return " ".join(random.Random(seed).choices(WORDS, k=words))


def test_a_text_with_one_word_changed_is_a_near_duplicate_of_the_earlier_one() -> None:
    changed = text(1, 100).replace(text(1, 100).split()[50], "another")
    texts = [text(0), text(1, 100), text(2), changed, text(3)]

    found = near_duplicates(shingle(texts), threshold=0.9, owners=range(5))

    assert [(each.place, each.of) for each in found] == [(3, 1)]
    assert 0.9 <= found[0].similarity < 1


def test_steps_of_one_trace_are_not_compared() -> None:
    assert near_duplicates(shingle([text(1), text(1)]), threshold=0.9, owners=["t", "t"]) == ()


def test_boilerplate_alone_does_not_make_texts_alike() -> None:
    examples = text(7, 300)
    texts = [f"{examples} refund order {index} for {text(index, 4)}" for index in range(20)]

    assert near_duplicates(shingle(texts), threshold=0.9, owners=range(20)) == ()
    assert within_reach(shingle(texts[10:]), shingle(texts[:10]), threshold=0.9) == ()


def test_what_is_within_reach_of_the_suite_does_not_depend_on_the_other_texts() -> None:
    suite = [text(index, 100) for index in range(30)]
    near = " ".join([*suite[4].split()[:-1], "end"])

    alone = within_reach(shingle([near]), shingle(suite), threshold=0.9)
    among = within_reach(
        shingle([near, *[near + " x"] * 50, text(99)]), shingle(suite), threshold=0.9
    )

    assert [(each.place, each.of) for each in alone] == [(0, 4)]
    assert alone[0] in among
    assert len(among) == 51


def by_hand(texts: list[str]) -> list[set[tuple[str, ...]]]:
    words = [re.findall(r"[a-z0-9]+", text.casefold()) for text in texts]
    return [
        {tuple(w[i : i + 3]) for i in range(len(w) - 2)} if len(w) > 2 else {(x,) for x in w}
        for w in words
    ]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(alphabet="ab1 ,.\0", max_size=30), max_size=8))
def test_shingles_are_the_windows_of_three_words(texts: list[str]) -> None:
    found = shingle(texts)
    expected = by_hand(texts)

    for one, mine in enumerate(expected):
        assert len(found.of(one)) == len(mine)
        for other, theirs in enumerate(expected):
            shared = set(found.of(one).tolist()) & set(found.of(other).tolist())
            assert len(shared) == len(mine & theirs)
