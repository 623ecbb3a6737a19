import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.curation.conversations import calls, reply, says, task, user
from tests.curation.refund_desk import RefundDesk
from tracemill.curation.checks import score
from tracemill.curation.task import AnswerCheck, EnvironmentCheck, SchemaCheck, ToolCallCheck
from tracemill.errors import EnvironmentFailedError
from tracemill.ingest.trace import Message

WANTED = task(user("refund 332"), reference=calls("refund_order", order_id=332))


@pytest.mark.parametrize(
    ("message", "reward"),
    [
        (calls("refund_order", order_id=332), 1.0),
        (calls("refund_order", order_id="332"), 1.0),
        (calls("refund_order", order_id=332.0, note=None), 1.0),
        (calls("refund_order", order_id=333), 0.0),
        (calls("refund_order", order_id=True), 0.0),
        (calls("refund_order", order_id=332, force=True), 0.0),
        (calls("refund_order", "order 332"), 0.0),
        (calls("cancel_order", order_id=332), 0.0),
        (says("refund_order(332)"), 0.0),
    ],
)
def test_only_the_wanted_call_is_accepted(message: Message, reward: float) -> None:
    results, found = score(WANTED, [message], None)

    assert found == reward
    assert results[0].passed == (reward == 1.0)


def test_a_failed_check_says_what_differs() -> None:
    results, _ = score(WANTED, [calls("refund_order", order_id=7)], None)

    assert results[0].detail == "differs in order_id"


def test_the_reward_is_the_weighted_share_of_passed_checks() -> None:
    checks = (SchemaCheck(weight=1), ToolCallCheck(tool="refund_order", arguments={}, weight=3))
    one = task(user("hi"), reference=says("hello"), checks=checks)

    _, reward = score(one, [calls("refund_order", order_id="many")], None)

    assert reward == 0.0
    assert score(one, [calls("refund_order", order_id=1)], None)[1] == 0.25


@pytest.mark.parametrize(
    ("messages", "passed"),
    [
        ([says("Your order was REFUNDED.")], True),
        ([calls("refund_order", order_id=1), reply("ok"), says("refunded")], True),
        ([says("refunded"), calls("refund_order", order_id=1)], False),
        ([says("no")], False),
        ([], False),
    ],
)
def test_an_answer_is_the_last_message_that_leaves_no_call_open(
    messages: list[Message], passed: bool
) -> None:
    one = task(user("hi"), reference=says("refunded"), checks=(AnswerCheck(contains="refunded"),))

    assert (score(one, messages, None)[1] == 1.0) == passed


def test_the_environment_judges_and_its_absence_is_an_error_not_a_zero() -> None:
    one = task(user("hi"), reference=says("ok"), checks=(EnvironmentCheck(),))
    desk = RefundDesk()
    desk.reset({"refund": 332})

    assert score(one, [], desk)[1] == 0.0
    desk.call("refund_order", {"order_id": 332})
    assert score(one, [], desk)[1] == 1.0
    with pytest.raises(EnvironmentFailedError, match="name its factory"):
        score(one, [], None)


class Undecided(RefundDesk):
    def verdict(self) -> float:
        return float("nan")


def test_a_verdict_that_is_no_number_is_infrastructure() -> None:
    one = task(user("hi"), reference=says("ok"), checks=(EnvironmentCheck(),))

    with pytest.raises(EnvironmentFailedError, match="not from 0 to 1"):
        score(one, [], Undecided())


@given(
    st.dictionaries(
        st.text(min_size=1), st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text()
    )
)
def test_a_call_always_matches_itself(arguments: dict[str, bool | int | str | None]) -> None:
    message = calls("refund_order", dict(arguments))

    assert score(task(user("hi"), reference=message), [message], None)[1] == 1.0
