import pytest

from tests.curation.conversations import DAY, calls, reply, says, trace, user
from tracemill.curation.detection import detect
from tracemill.curation.detectors.table import DETECTORS
from tracemill.ingest.trace import Feedback, Message, Trace

DONE = reply("done")
FAILED = {"reward": 0.0}


def claims(one: Trace) -> dict[str, str]:
    """What each detector claims."""
    return {finding.detector: finding.claim for finding in detect(one)}


def feedback(**fields: object) -> Feedback:
    given = {"id": "f", "target": "t1", "name": "thumbs", "created_at": DAY, **fields}
    return Feedback.model_validate(given)


def test_detector_names_are_unique() -> None:
    assert len({detector.name for detector in DETECTORS}) == len(DETECTORS)


@pytest.mark.parametrize(
    ("one", "found"),
    [
        (trace(user("refund 332"), calls("refund_order", order_id=332), DONE, says("done")), {}),
        (
            trace(user("x"), calls("refund_order", order_id=7), reply('{"error": "no such order"}')),
            {"tool error": "refund_order: no such order"},
        ),
        (
            trace(user("x"), calls("refund_order", "{'order_id': 7}"), reply("Error: bad JSON")),
            {"malformed arguments": "refund_order: the arguments are a Python dict, not JSON"},
        ),
        (
            trace(user("x"), calls("refund", order_id=7), reply("Error: unknown tool")),
            {"unknown tool": "refund was called and is no tool that was offered"},
        ),
        (
            trace(user("x"), calls("refund_order", {}), DONE),
            {"broken schema": "refund_order: required argument missing: order_id"},
        ),
        (
            trace(user("x"), *[calls("refund_order", order_id=332), DONE] * 2),
            {"repeated call": "refund_order was called again at once with the same arguments"},
        ),
        (
            trace(
                user("x"), calls("refund_order", '{"order'), outcome=FAILED,
                steps=({"message": 1, "finish_reason": "length", "completion_tokens": 44},),
            ),
            {"truncated": "the answer was cut at the token limit"},
        ),
        (trace(user("x"), says(" ")), {"empty answer": "the answer is empty"}),
        (
            trace(user("refund 332"), says("refund_order(332)"), outcome=FAILED),
            {
                "missing call": "answered without calling any tool",
                "low reward": "the episode failed by its own reward",
            },
        ),
        (
            trace(
                user("x"), calls("refund_order", order_id=7), DONE,
                outcome={"expected_calls": [{"name": "refund_order", "arguments": {"order_id": 8}}]},
            ),
            {"unexpected call": "refund_order called with other arguments than expected (order_id)"},
        ),
        (
            trace(
                user("x"), calls("cancel_order", order_id=7), DONE,
                outcome={"expected_calls": [{"name": "refund_order", "arguments": {"order_id": 7}}]},
            ),
            {"unexpected call": "cancel_order called where refund_order was expected"},
        ),
        (
            trace(
                user("x"), says("no"),
                outcome={"expected_calls": [{"name": "refund_order", "arguments": {"order_id": 7}}]},
            ),
            {"unexpected call": "refund_order was expected and never called"},
        ),
        (
            trace(
                user("x"), calls("cancel_order", order_id=332), DONE,
                feedback=(feedback(correction=calls("refund_order", order_id=332)),),
            ),
            {"bad feedback": "bad feedback from a user: thumbs, refund_order was wanted"},
        ),
        (
            trace(user("x"), says("ok"), feedback=(feedback(score=0.0), feedback(score=1.0, id="g"))),
            {
                "bad feedback": "bad feedback from a user: thumbs",
                "missing call": "answered without calling any tool",
            },
        ),
        (trace(user("x"), says("ok"), feedback=(feedback(score=1.0),)), {}),
        (
            trace(
                user("x"), calls("refund_order", order_id=7), reply("Error: order 7 not found"),
                calls("refund_order", order_id=332), DONE,
            ),
            {
                "tool error": "refund_order: order 7 not found",
                "recovery": "refund_order: recovered by itself after a refusal",
            },
        ),
        (
            trace(
                user("x"), calls("refund_order", order_id=7), reply("Error: order 7 not found"),
                user("332 please"), calls("refund_order", order_id=332), DONE,
            ),
            {"tool error": "refund_order: order 7 not found"},
        ),
    ],
)  # fmt: skip
def test_each_weakness_is_found_and_said_in_words(one: Trace, found: dict[str, str]) -> None:
    assert claims(one) == found


def test_a_finding_has_one_id_however_often_it_is_made() -> None:
    one = trace(user("x"), calls("refund", order_id=7), reply("Error: unknown tool"))

    assert detect(one) == detect(one)
    assert detect(one)[0].id != detect(one.model_copy(update={"revision": 2}))[0].id


def call(name: str, order: int) -> tuple[Message, Message]:
    return calls(name, order_id=order), DONE


ROUND = (*call("refund_order", 332), *call("cancel_order", 333))


@pytest.mark.parametrize(
    ("one", "detector", "claim"),
    [
        (
            trace(user("x"), *ROUND * 3),
            "loop",
            "a round of calls was made three times or more: refund_order, cancel_order",
        ),
        (trace(user("x"), *ROUND * 2), "loop", None),
        (
            trace(user("x"), *[
                message
                for order in range(4)
                for message in (calls("refund_order", order_id=order), reply(f"Error: {order}"))
            ]),
            "no progress",
            "four calls in a row brought nothing new: refund_order",
        ),
        (
            trace(user("x"), *[
                message
                for order in range(4)
                for message in (calls("refund_order", order_id=order), reply("Error: HTTP 503"))
            ]),
            "no progress",
            None,
        ),
        (trace(user("x"), says("I'm sorry, but I can't help with that.")), "refused", "the agent refused"),
        (trace(user("x"), says("Sorry about the wait. Done!")), "refused", None),
        (
            trace(user("x"), says("No."), steps=({"message": 1, "finish_reason": "refused"},)),
            "refused",
            "the agent refused",
        ),
        (
            trace(user("refund"), says("cancelled"), user("That's not what I asked for!"), says("oh")),
            "user correction",
            "the user corrected the agent",
        ),
        (trace(user("x"), says("more?"), user("No, that's all. Thanks!")), "user correction", None),
        (
            trace(user("please refund my order 332"), says("hm"), user("refund my order 332 please!")),
            "asked again",
            "the user asked for the same again",
        ),
        (
            trace(
                user("hi"), says("sure?"), user("Yes, please go ahead now"), says("really?"),
                user("yes please go ahead now"),
            ),
            "asked again",
            None,
        ),
    ],
)  # fmt: skip
def test_weaknesses_of_longer_episodes_are_told_from_what_only_looks_alike(
    one: Trace, detector: str, claim: str | None
) -> None:
    assert claims(one).get(detector) == claim
