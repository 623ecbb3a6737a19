import json
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from tests.curation.chat_server import chat_server, saying
from tests.curation.conversations import calls, says, task, trace, user
from tests.curation.test_draft import DONE, FAILED_332, corrected, drafted, failures
from tracemill.curation.check_rules import (
    AnswerRule,
    CheckRule,
    CommandRule,
    FinalAnswerRule,
    JudgeRule,
    LimitRule,
    NoErrorRule,
    checks_of_rules,
)
from tracemill.curation.draft import Draft
from tracemill.curation.options import CurationOptions
from tracemill.curation.proof import reward_of
from tracemill.curation.task import AnswerCheck, Check, LimitCheck

FAILED = trace(user("refund 332"), calls("refund_order", order_id=331), DONE, outcome=FAILED_332)
THANKS = trace(user("thanks"), says("You are welcome."), id_="t2", outcome={"reward": 1.0})


def ruled(folder: Path, *rules: CheckRule) -> Draft:
    return drafted(folder, FAILED, options=CurationOptions(checks=rules))


def test_a_rules_check_joins_those_of_the_tasks_it_is_for() -> None:
    one = task(user("x"), reference=calls("refund_order", order_id=1), failure_mode="mode-1")
    answer = task(user("x"), reference=says("hello"))

    def chosen(rule: CheckRule) -> tuple[int, int]:
        return len(checks_of_rules((rule,), one)), len(checks_of_rules((rule,), answer))

    assert chosen(LimitRule(max_steps=2)) == (1, 1)
    assert chosen(LimitRule(max_steps=2, tools=("refund_order",))) == (1, 0)
    assert chosen(LimitRule(max_steps=2, tools=("cancel_order",))) == (0, 0)
    assert chosen(LimitRule(max_steps=2, failure_modes=("mode-1", "mode-2"))) == (1, 0)
    assert chosen(LimitRule(max_steps=2, slices=("refund_order",), failure_modes=("x",))) == (0, 0)


@pytest.mark.parametrize(
    "rule",
    [
        AnswerRule(contains="hello", weight=2.0),
        FinalAnswerRule(how="pattern", value="hel+o"),
        LimitRule(max_tokens=9),
        NoErrorRule(),
        CommandRule(name="c", command=("true",)),
        JudgeRule(name="j", rubric="Be polite.", url="http://127.0.0.1:9/v1", model="m"),
    ],
)
def test_a_rule_becomes_the_check_that_it_names(rule: CheckRule) -> None:
    check = checks_of_rules((rule,), task(user("x"), reference=says("hello")))[0]

    assert TypeAdapter(Check).validate_json(check.model_dump_json()) == check
    assert check.model_dump().items() <= rule.model_dump().items()


def test_a_drafted_task_carries_the_teams_checks_and_is_scored_by_them(tmp_path: Path) -> None:
    found = failures(ruled(tmp_path, LimitRule(max_tokens=20, weight=5.0)))[0]

    wordy = calls("refund_order", order_id=332).model_copy(update={"content": "well, " * 50})
    assert found.checks[-1] == LimitCheck(max_tokens=20, weight=5.0)
    assert reward_of(found, found.reference) == 1.0
    assert reward_of(found, wordy) == pytest.approx(1.25 / 6.25)


def test_a_check_that_rejects_the_reference_keeps_the_task_out_and_is_named(
    tmp_path: Path,
) -> None:
    found = ruled(tmp_path, AnswerRule(contains="refunded"))

    assert failures(found) == []
    assert found.refused["the team's check 'answer' rejects the reference"] == 1


def test_a_check_that_cannot_be_run_keeps_the_task_out_and_is_counted(tmp_path: Path) -> None:
    with chat_server(lambda _: 503) as server:
        found = ruled(tmp_path, JudgeRule(name="j", rubric="R.", url=server.url, model="m"))

    assert failures(found) == []
    assert found.refused["a check of the team's could not be run"] >= 1


def test_a_correction_in_words_is_a_task_where_a_judge_tells_it_from_what_failed(
    tmp_path: Path,
) -> None:
    rude = trace(user("thanks"), says("Whatever."), id_="rude")
    one = corrected(rude, says("You are welcome."))

    def verdict(asked: dict[str, object]) -> object:
        said = "pass" if "You are welcome" in json.dumps(asked) else "fail"
        return saying(json.dumps({"verdict": said, "reason": "Its tone."}))

    assert failures(drafted(tmp_path / "a", one)) == []
    with chat_server(verdict) as server:
        rule = JudgeRule(name="polite", rubric="Be polite.", url=server.url, model="m")
        found = failures(drafted(tmp_path / "b", one, options=CurationOptions(checks=(rule,))))

    assert [check.kind for check in found[0].checks] == ["judge"]


def test_the_other_sides_tasks_stay_without_a_rule_that_is_not_for_them(tmp_path: Path) -> None:
    rule = LimitRule(max_steps=1, tools=("refund_order",))

    found = drafted(tmp_path, FAILED, THANKS, options=CurationOptions(checks=(rule,)))

    by_slice = {one.slice: one.checks for one in found.tasks}
    assert LimitCheck(max_steps=1) in by_slice["refund_order"]
    assert by_slice["answer"] == (AnswerCheck(contains=""),)
