from pathlib import Path

import pytest

from tests.curation.conversations import ScriptedModel, calls, reply, says, trace, user
from tests.curation.test_draft import FAILED_332, drafted, failures
from tracemill.curation.chat import ChatRequest
from tracemill.curation.options import CurationOptions
from tracemill.curation.recorded_replies import RecordedReplies, recorded_state
from tracemill.curation.rollout import roll_out
from tracemill.curation.task import Task
from tracemill.errors import UnrecordedCallError
from tracemill.ingest.trace import Message

LOOK = calls("cancel_order", order_id=1)
ONE = trace(
    user("refund 332"), LOOK, reply("first"), LOOK, reply("Error: second"), LOOK,
    reply("Error: 503 Service Unavailable"), calls("refund_order", order_id=9), reply("done"),
    outcome=FAILED_332,
)  # fmt: skip


@pytest.fixture
def task(tmp_path: Path) -> Task:
    """The failing step is the refund of order 9; the call before it was recorded."""
    options = CurationOptions(replay_steps=3)
    one = trace(
        user("refund 332"), LOOK, reply("first"), calls("refund_order", order_id=9), reply("done"),
        outcome=FAILED_332,
    )  # fmt: skip
    return failures(drafted(tmp_path, one, options=options))[0]


def test_recorded_calls_get_their_replies_in_order_and_others_none() -> None:
    replies = RecordedReplies()
    replies.reset(recorded_state(ONE))

    given = [replies.call("cancel_order", {"order_id": 1}) for _ in range(3)]

    assert [(one.content, one.is_error) for one in given] == [
        ("first", False),
        ("Error: second", True),
        ("Error: second", True),
    ]
    with pytest.raises(UnrecordedCallError, match="never called 'refund_order'"):
        replies.call("refund_order", {"order_id": 332})


def roll(task: Task, *messages: Message) -> tuple[str, float | None]:
    left = list(messages)

    def answer(request: ChatRequest) -> Message:
        return left.pop(0)

    rollout = roll_out(ScriptedModel(answer), [task])[0]
    return rollout.status, rollout.reward


def test_a_rollout_goes_on_over_recorded_replies_to_the_wanted_call(task: Task) -> None:
    assert task.max_steps == 3
    assert roll(task, LOOK, calls("refund_order", order_id=332)) == ("scored", 1.0)


def test_a_recorded_wrong_call_is_a_failure(task: Task) -> None:
    assert roll(task, calls("refund_order", order_id=9), says("done")) == ("scored", 0.2)


def test_a_call_that_was_never_recorded_is_unscorable_not_wrong(task: Task) -> None:
    assert roll(task, calls("refund_order", order_id=77)) == ("unscorable", None)
