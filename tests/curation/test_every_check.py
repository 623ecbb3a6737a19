"""What holds for each kind of check, whatever it looks at."""

import sys
from typing import get_args

import pytest

from tests.curation.chat_server import chat_server, saying
from tests.curation.conversations import ScriptedModel, at_the_desk, calls, says, task, user
from tracemill.curation.environment import ToolReply
from tracemill.curation.proof import reward_of
from tracemill.curation.rollout import Rollout, roll_out
from tracemill.curation.task import (
    AnswerCheck,
    ArgumentMatch,
    Check,
    CommandCheck,
    EnvironmentCheck,
    FinalAnswerCheck,
    JudgeCheck,
    LimitCheck,
    MatchedCallCheck,
    NoErrorCheck,
    SchemaCheck,
    Task,
    ToolCallCheck,
)
from tracemill.errors import EnvironmentFailedError
from tracemill.ingest.trace import Message

NOBODY = "http://127.0.0.1:9/v1"
RIGHT, WRONG = calls("refund_order", order_id=332), calls("refund_order", order_id=7)
OUTAGE = calls("refund_order", order_id=503)
CALLING: tuple[Check, ...] = (
    ToolCallCheck(tool="refund_order", arguments={"order_id": 332}),
    MatchedCallCheck(
        tool="refund_order",
        matches=(ArgumentMatch(name="order_id", how="near", value=330, tolerance=5),),
    ),
    NoErrorCheck(),
    EnvironmentCheck(),
)
SAYING: tuple[Check, ...] = (
    AnswerCheck(contains="done"),
    FinalAnswerCheck(how="pattern", value="^done"),
    LimitCheck(max_tokens=5),
    SchemaCheck(),
    CommandCheck(name="c", command=(sys.executable, "-c", "pass")),
    JudgeCheck(name="j", rubric="R.", url=NOBODY, model="m"),
)


def checked(check: Check, *, max_steps: int = 1) -> Task:
    one = task(user("refund 332"), reference=RIGHT, checks=(check,))
    place = at_the_desk({"refund": 332})
    return one.model_copy(update={"environment": place, "max_steps": max_steps})


def rolled(check: Check, said: Message) -> Rollout:
    return roll_out(ScriptedModel(lambda _: said), [checked(check)])[0]


def kind(check: Check) -> str:
    return check.kind


def test_every_kind_of_check_is_looked_at_here() -> None:
    kinds = {type(check) for check in (*CALLING, *SAYING)}

    assert kinds == set(get_args(get_args(Check)[0]))


@pytest.mark.parametrize("check", [*CALLING, *SAYING], ids=kind)
def test_a_cut_answer_and_a_model_that_is_away_have_no_reward(check: Check) -> None:
    cut = roll_out(ScriptedModel(lambda _: RIGHT, finish_reason="length"), [checked(check)])[0]
    away = roll_out(ScriptedModel(lambda _: None), [checked(check)])[0]

    assert (cut.status, cut.reward, cut.is_truncated) == ("unscorable", None, True)
    assert (away.status, away.reward) == ("infrastructure", None)


@pytest.mark.parametrize("check", [*CALLING, *SAYING], ids=kind)
def test_an_environment_that_is_down_gives_no_reward(check: Check) -> None:
    down = checked(check).model_copy(update={"environment": at_the_desk({"is_down": True})})

    lost = roll_out(ScriptedModel(lambda _: RIGHT), [down])[0]
    failing = rolled(check, OUTAGE)

    assert {lost.status, failing.status} == {"infrastructure"}
    assert (lost.reward, failing.reward) == (None, None)


@pytest.mark.parametrize("check", CALLING, ids=kind)
def test_a_check_of_calls_accepts_the_right_one_and_rejects_the_wrong_one(check: Check) -> None:
    right, wrong = rolled(check, RIGHT), rolled(check, WRONG)

    assert (right.status, right.reward) == ("scored", 1.0)
    assert (wrong.status, wrong.reward) == ("scored", 0.0)


@pytest.mark.parametrize(("most", "reward"), [(5, 1.0), (4, 0.0)])
def test_tokens_are_those_that_the_model_counted(most: int, reward: float) -> None:
    rollout = rolled(LimitCheck(max_tokens=most), says("done"))

    assert (rollout.completion_tokens, rollout.reward) == (5, reward)


@pytest.mark.parametrize(("verdict", "reward"), [("pass", 1.0), ("fail", 0.0)])
def test_a_judge_scores_and_where_it_is_away_nobody_does(verdict: str, reward: float) -> None:
    check = JudgeCheck(name="j", rubric="R.", url=NOBODY, model="m")
    with chat_server(lambda _: saying(f'{{"verdict": "{verdict}", "reason": ""}}')) as server:
        scored = rolled(check.model_copy(update={"url": server.url}), says("done"))

    away = rolled(check, says("done"))

    assert (scored.status, scored.reward) == ("scored", reward)
    assert (away.status, away.reward) == ("unscorable", None)


OUT = "tests.curation.test_every_check:make_desk_with_an_outage"


class DeskWithAnOutage:
    """A desk whose tools answer that their database is away."""

    tools = task(user("x"), reference=RIGHT).tools

    def reset(self, state: object) -> None:
        self.is_fulfilled = state == "mended"

    def call(self, name: str, arguments: object) -> ToolReply:
        return ToolReply("Error: 503 Service Unavailable", is_error=True)

    def verdict(self) -> float:
        return float(self.is_fulfilled)


def make_desk_with_an_outage() -> DeskWithAnOutage:
    return DeskWithAnOutage()


def test_a_tool_that_answers_with_an_outage_makes_a_failure_nobodys() -> None:
    def at(state: str) -> Task:
        place = at_the_desk(state).model_copy(update={"factory": OUT})
        return checked(EnvironmentCheck()).model_copy(update={"environment": place})

    mended, lost = roll_out(ScriptedModel(lambda _: RIGHT), [at("mended"), at("lost")])

    assert (mended.status, mended.reward) == ("scored", 1.0)
    assert (lost.status, lost.reward) == ("infrastructure", None)
    assert "503 Service Unavailable" in lost.reason
    with pytest.raises(EnvironmentFailedError, match="met an outage"):
        reward_of(at("lost"), RIGHT)
