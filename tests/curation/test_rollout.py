import pytest
from pydantic import JsonValue

from tests.curation.conversations import ScriptedModel, at_the_desk, calls, reply, says, task, user
from tests.curation.refund_desk import RefundDesk
from tracemill.curation.chat import ChatRequest
from tracemill.curation.environment import load_environment
from tracemill.curation.rollout import roll_out
from tracemill.curation.task import AnswerCheck, EnvironmentCheck, EnvironmentRef, Task
from tracemill.errors import EnvironmentFailedError
from tracemill.ingest.trace import Message


def desk_task(state: dict[str, int | bool], *prompt: Message, max_steps: int = 3) -> Task:
    return task(
        *(prompt or (user("refund order 332"),)),
        reference=calls("refund_order", order_id=332),
        checks=(EnvironmentCheck(),),
        environment=at_the_desk(dict(state)),
        max_steps=max_steps,
    )


def refund(request: ChatRequest) -> Message:
    return calls("refund_order", order_id=332)


def test_rollouts_come_seed_by_seed_in_the_tasks_order_and_in_batches() -> None:
    tasks = [
        desk_task({"refund": order}).model_copy(update={"id": f"t{order}"})
        for order in (332, 7, 332)
    ]
    model = ScriptedModel(refund)

    rollouts = roll_out(model, tasks, seeds=(0, 1), batch_size=2)

    assert [(r.seed, r.task_id) for r in rollouts] == [
        (seed, name) for seed in (0, 1) for name in ("t332", "t7", "t332")
    ]
    assert [r.passed for r in rollouts[:3]] == [True, False, True]
    assert max(model.batches) == 2


def test_an_episode_goes_on_after_a_tool_error_and_ends_when_fulfilled() -> None:
    def learn(request: ChatRequest) -> Message:
        return calls("refund_order", order_id=332 if request.messages[-1].is_error else 7)

    rollout = roll_out(ScriptedModel(learn), [desk_task({"refund": 332})])[0]

    assert [m.role for m in rollout.messages] == ["assistant", "tool", "assistant", "tool"]
    assert (rollout.passed, rollout.completion_tokens) == (True, 10)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (calls("refund", order_id=332), "no tool is named 'refund'"),
        (calls("refund_order", "332"), "no JSON object"),
    ],
)
def test_a_call_that_cannot_be_made_is_answered_by_an_error(wrong: Message, told: str) -> None:
    rollout = roll_out(ScriptedModel(lambda _: wrong), [desk_task({"refund": 332}, max_steps=1)])[0]

    assert rollout.status == "scored"
    assert rollout.reward == 0.0
    assert rollout.messages[-1].is_error
    assert told in (rollout.messages[-1].content or "")


def test_an_answer_ends_the_episode() -> None:
    one = task(
        user("hi"), reference=says("hello"), checks=(AnswerCheck(contains="hello"),), max_steps=9
    )

    rollout = roll_out(ScriptedModel(lambda _: says("Hello!")), [one])[0]

    assert rollout.passed
    assert len(rollout.messages) == 1


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (desk_task({"is_down": True}), "cannot be set up"),
        (desk_task({"refund": 332}, calls("refund_order", order_id=503)), "failed at a call"),
        (
            desk_task({"refund": 332}).model_copy(
                update={
                    "environment": EnvironmentRef(
                        factory="tests.curation.refund_desk:make_broken", state={}
                    )
                }
            ),
            "cannot be made",
        ),
    ],
)
def test_a_broken_environment_is_infrastructure_and_spares_the_other_tasks(
    broken: Task, reason: str
) -> None:
    lost, sound = roll_out(ScriptedModel(refund), [broken, desk_task({"refund": 332})])

    assert (lost.status, lost.reward) == ("infrastructure", None)
    assert reason in lost.reason
    assert sound.passed


def test_a_model_that_does_not_answer_is_infrastructure_never_a_zero() -> None:
    rollout = roll_out(ScriptedModel(lambda _: None), [desk_task({"refund": 332})])[0]

    assert (rollout.status, rollout.reward) == ("infrastructure", None)
    assert "503" in rollout.reason


def test_a_truncated_answer_is_unscorable_never_a_zero() -> None:
    rollout = roll_out(ScriptedModel(refund, finish_reason="length"), [desk_task({"refund": 332})])[
        0
    ]

    assert (rollout.status, rollout.reward, rollout.is_truncated) == ("unscorable", None, True)


def test_the_prefix_is_made_again_but_for_calls_that_met_an_outage() -> None:
    prompt = (
        user("refund 332"),
        calls("refund_order", order_id=332),
        reply("Error: 503 Service Unavailable"),
        calls("refund_order", order_id=332),
        reply("ok"),
    )

    rollout = roll_out(
        ScriptedModel(lambda _: says("done")), [desk_task({"refund": 332}, *prompt)]
    )[0]

    assert rollout.passed


def test_a_factory_is_loaded_by_name_or_refused_in_words() -> None:
    assert isinstance(load_environment("tests.curation.refund_desk:RefundDesk"), RefundDesk)
    with pytest.raises(EnvironmentFailedError, match="module:callable"):
        load_environment("refund_desk")
    with pytest.raises(EnvironmentFailedError, match="cannot be made"):
        load_environment("no.such.module:Desk")


class Lock(RefundDesk):
    """A desk that is taken until it is closed, and fails to close where it is told to."""

    taken = 0

    def reset(self, state: JsonValue) -> None:
        Lock.taken += 1
        super().reset(state)

    def close(self) -> None:
        Lock.taken -= 1
        if self.wanted.get("refund") == 7:
            raise OSError("the desk is stuck")


def test_environments_are_closed_and_one_that_cannot_be_spoils_no_reward() -> None:
    place = "tests.curation.test_rollout:Lock"
    tasks = [
        desk_task({"refund": order}).model_copy(
            update={"environment": EnvironmentRef(factory=place, state={"refund": order})}
        )
        for order in (332, 7)
    ]

    with pytest.warns(UserWarning, match="the desk is stuck"):
        rollouts = roll_out(ScriptedModel(refund), tasks)

    assert [rollout.reward for rollout in rollouts] == [1.0, 0.0]
    assert Lock.taken == 0
