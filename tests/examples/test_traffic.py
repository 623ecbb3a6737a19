from collections import Counter
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from examples.support_desk.environment import SupportDesk
from examples.support_desk.traffic import KINDS, OUTAGE_SHARE, load_phrases, requests
from tests.examples.clerk import right_call
from tracemill.curation.grounding import ungrounded_values
from tracemill.ingest.trace import Message


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6))
def test_one_seed_gives_one_stream_and_a_longer_one_begins_alike(seed: int) -> None:
    assert requests(30, seed=seed)[:10] == requests(10, seed=seed)
    assert requests(10, seed=seed) != requests(10, seed=seed + 1)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6))
def test_every_wish_can_be_fulfilled_and_is_said_in_the_request(seed: int) -> None:
    for request in requests(20, seed=seed):
        desk, wish = SupportDesk(), request.state.wish
        desk.reset(request.state.model_dump(mode="json"))
        asked = Message(role="user", content=request.text)

        desk.call(wish.name, wish.arguments)

        assert desk.verdict() == 1.0
        assert not ungrounded_values(right_call(request), Message(role="assistant"), [asked])


def test_all_kinds_are_asked_for_about_as_often_as_they_should_be() -> None:
    stream = requests(2000, seed=5)
    counts = Counter(request.kind for request in stream)

    assert set(KINDS) == set(load_phrases().kinds)
    assert all(abs(counts[kind] / 20 - share) < 4 for kind, share in KINDS.items())
    assert 0.5 < sum(request.is_outage for request in stream) / 2000 / OUTAGE_SHARE < 1.5


def test_customers_come_back_and_some_go_on_in_one_conversation() -> None:
    stream = requests(200, seed=1)

    assert 60 < len({request.customer for request in stream}) < 120
    assert 130 < len({request.conversation for request in stream}) < 170
    assert all(a.seconds < b.seconds for a, b in pairwise(stream))


def test_hardly_two_requests_are_the_same() -> None:
    stream = requests(400, seed=1)

    assert len({request.text for request in stream}) >= 396
