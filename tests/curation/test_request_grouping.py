from hypothesis import given
from hypothesis import strategies as st

from tests.curation.conversations import calls, reply, says, user
from tracemill.curation.mode_grouping import Signature
from tracemill.curation.mode_names import telling_words
from tracemill.curation.request import request_at
from tracemill.curation.request_grouping import KnownRequests, group_requests

NOTHING = KnownRequests("common", {}, ())
CANCEL = [f"please cancel my flight to {city}" for city in ("Rome", "Oslo", "Bern", "Lima", "Kyiv")]
GIFT = [
    f"what is the {word} of my gift card" for word in ("sum", "rest", "worth", "state", "value")
]
OTHER = ["good morning to you all", "where did I leave the keys", "tell me a joke about cats"]


def asked(request: str, *, traces: int = 1) -> Signature:
    claim = "the agent refused"
    return Signature(request, "refused", None, "agent", claim, traces, request, f"t {request}")


def test_requests_that_come_up_often_are_modes_and_the_rest_stays_together() -> None:
    modes = group_requests([asked(request) for request in (*CANCEL, *GIFT, *OTHER)], NOTHING)

    assert {modes[request] for request in OTHER} == {"common"}
    assert len({modes[r] for r in CANCEL}) == len({modes[r] for r in GIFT}) == 1
    assert {modes[CANCEL[0]] in CANCEL, modes[GIFT[0]] in GIFT} == {True}


def test_a_new_request_joins_the_mode_that_it_is_nearest_to() -> None:
    known = KnownRequests("common", {"mode-1": CANCEL[0], "mode-2": GIFT[0]}, ())

    modes = group_requests([asked("cancel the flight"), asked("my gift card")], known)

    assert modes == {"cancel the flight": "mode-1", "my gift card": "mode-2"}


def test_one_request_of_many_traces_is_a_mode_too() -> None:
    modes = group_requests([asked(CANCEL[0], traces=40), asked(GIFT[0], traces=40)], NOTHING)

    assert modes == {CANCEL[0]: CANCEL[0], GIFT[0]: GIFT[0]}


def test_requests_of_earlier_nights_lend_their_weight_to_a_mode_that_begins() -> None:
    before = tuple(asked(request) for request in (*CANCEL[:3], *GIFT[:3], *OTHER))
    known = KnownRequests("common", {}, before)

    alone = group_requests([asked(request) for request in CANCEL[3:]], NOTHING)
    together = group_requests([asked(request) for request in CANCEL[3:]], known)

    assert set(alone.values()) == {"common"}
    assert together == dict.fromkeys(CANCEL[3:], together[CANCEL[3]])
    assert together[CANCEL[3]] in CANCEL[3:]


def test_requests_that_are_all_alike_are_one_mode_and_those_that_are_not_are_none() -> None:
    alike = group_requests([asked(request) for request in CANCEL], NOTHING)
    other = group_requests(
        [asked(request) for request in (*OTHER, *CANCEL[:2], *GIFT[:2])], NOTHING
    )

    assert len(set(alike.values())) == 1
    assert set(alike.values()) <= set(CANCEL)
    assert set(other.values()) == {"common"}


def test_one_trace_that_says_the_same_in_many_ways_makes_no_mode() -> None:
    new = [asked(request)._replace(trace_id="t1") for request in CANCEL]

    assert set(group_requests(new, NOTHING).values()) == {"common"}


@given(st.lists(st.text(max_size=40), max_size=30, unique=True), st.integers(1, 9))
def test_every_request_has_exactly_one_mode_whatever_it_says(texts: list[str], traces: int) -> None:
    new = [asked(text, traces=traces) for text in texts]

    modes = group_requests(new, NOTHING)

    assert set(modes) == set(texts)
    assert all(modes[mode] == mode for mode in set(modes.values()) - {"common"})
    assert group_requests(new[::-1], NOTHING) == modes


def test_a_mode_is_named_by_what_its_requests_share_and_others_lack() -> None:
    words = telling_words({"a": CANCEL, "b": GIFT})

    assert words == {"a": "cancel flight", "b": "gift card"}


def test_a_request_is_the_users_last_one_that_says_what_is_wanted() -> None:
    messages = [
        user("Refund order 332, it was 'broken'"), calls("refund_order", order_id=332), reply("?"),
        says("Sure?"), user("yes"), says("I cannot."), user("Then cancel order 77 for me"), says("No."),
    ]  # fmt: skip

    assert request_at(messages, 5) == "Refund order …, it was …"
    assert request_at(messages, 7) == "Then cancel order … for me"
    assert request_at(messages, None) == "Refund order …, it was …"
    assert request_at([user("hi"), says("No.")], 1) == "hi"
    assert request_at([says("No.")], 0) is None
