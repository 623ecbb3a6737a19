"""What is no evidence: comparisons that are not sound, and tries without a score."""

import math

import pytest

from tests.evaluation.cards import CANDIDATE, CHAMPION, both, card, changed, suite_of, task
from tracemill.errors import EmptySuiteError
from tracemill.evaluation.gate import judge
from tracemill.evaluation.gate_rules import GateRules
from tracemill.evaluation.suite import Suite, make_suite

RULES = GateRules()
SUITE = suite_of({"refund_order": 60, "convert": 60})
BETTER = both(SUITE, {"refund_order": 5, "convert": 58}, {"refund_order": 55, "convert": 58})


def test_an_outage_counts_for_neither_side() -> None:
    suite = suite_of({"refund_order": 100, "convert": 100})
    champion = card(suite, CHAMPION, {"convert": 100})
    candidate = card(
        suite, CANDIDATE, {"refund_order": 90, "convert": 100}, unscored=["convert-07"]
    )

    verdict = judge(candidate, champion, suite, RULES)

    assert verdict.outcome == "promote"
    assert verdict.broken == ()
    assert verdict.excluded == 1
    assert verdict.reasons[-1] == "left out of both sides: 1 (1 candidate infrastructure)"


def test_too_many_outages_are_insufficient_evidence() -> None:
    out = [f"convert-{number:02}" for number in range(6)]
    candidate = card(SUITE, CANDIDATE, {"refund_order": 60, "convert": 60}, unscored=out)

    verdict = judge(candidate, card(SUITE, CHAMPION, {"convert": 60}), SUITE, RULES)

    assert verdict.outcome == "insufficient evidence"
    assert verdict.reasons[0] == (
        "only 95.0% of the tries have a score on both sides, 99.0% are wanted: "
        "left out 6 (6 candidate infrastructure)"
    )


def test_a_slice_lost_to_outages_is_not_forgotten() -> None:
    suite = suite_of({"refund_order": 200, "convert": 1})
    candidate = card(suite, CANDIDATE, {"refund_order": 190}, unscored=["convert-00"])

    verdict = judge(candidate, card(suite, CHAMPION, {}), suite, RULES)

    assert verdict.outcome == "insufficient evidence"
    assert verdict.reasons[0] == "convert: no task has a score on both sides"


def test_nothing_scored_at_all_is_insufficient() -> None:
    suite = suite_of({"convert": 30})
    everything = [each.id for each in suite.tasks]

    verdict = judge(
        card(suite, CANDIDATE, {}, unscored=everything), card(suite, CHAMPION, {}), suite, RULES
    )

    assert verdict.outcome == "insufficient evidence"
    assert verdict.overall is None


@pytest.mark.parametrize("reward", [math.nan, math.inf, None, -0.1, 1.5])
def test_a_score_that_is_none_never_promotes(reward: float | None) -> None:
    candidate, champion = BETTER

    for cards in (
        (changed(candidate, 3, reward=reward), champion),
        (candidate, changed(champion, 3, reward=reward)),
    ):
        verdict = judge(*cards, SUITE, RULES)

        assert verdict.outcome == "insufficient evidence"
        assert "has no valid reward for task 'convert-03' with seed 0" in verdict.reasons[0]


def test_a_missing_rollout_never_promotes() -> None:
    candidate, champion = BETTER
    short = candidate.model_copy(update={"rollouts": candidate.rollouts[1:]})

    verdict = judge(short, champion, SUITE, RULES)

    assert verdict.outcome == "insufficient evidence"
    assert "candidate: has no rollout for task 'convert-00' with seed 0" in verdict.reasons[0]


def test_a_rollout_counted_twice_never_promotes() -> None:
    candidate, champion = BETTER
    padded = candidate.model_copy(
        update={"rollouts": (*candidate.rollouts, candidate.rollouts[-1])}
    )

    verdict = judge(padded, champion, SUITE, RULES)

    assert verdict.outcome == "insufficient evidence"
    assert "has several rollouts for" in verdict.reasons[0]


def test_rollouts_of_another_model_never_promote() -> None:
    candidate, champion = BETTER

    verdict = judge(changed(candidate, 0, model=CHAMPION), champion, SUITE, RULES)

    assert verdict.outcome == "insufficient evidence"
    assert "holds another model's rollout" in verdict.reasons[0]


def test_different_seeds_are_no_comparison() -> None:
    candidate = card(SUITE, CANDIDATE, {"refund_order": 60, "convert": 60}, seeds=[0, 1])

    verdict = judge(candidate, BETTER[1], SUITE, RULES)

    assert verdict.outcome == "insufficient evidence"
    assert "the seeds differ: candidate (0, 1), champion (0,)" in verdict.reasons[0]


def test_no_seed_at_all_is_no_comparison() -> None:
    candidate = card(SUITE, CANDIDATE, {}, seeds=[])

    verdict = judge(candidate, card(SUITE, CHAMPION, {}, seeds=[]), SUITE, RULES)

    assert verdict.outcome == "insufficient evidence"
    assert verdict.reasons[0] == (
        "the comparison is not sound: candidate: was evaluated with no seed"
    )


def test_scorecards_of_different_suites_are_no_comparison() -> None:
    other = BETTER[0].model_copy(update={"suite_id": "suite-of-yesterday"})

    verdict = judge(other, BETTER[1], SUITE, RULES)

    assert verdict.outcome == "insufficient evidence"
    assert "was evaluated on suite 'suite-of-yesterday'" in verdict.reasons[0]


def test_a_suite_whose_tasks_were_exchanged_is_no_evidence() -> None:
    exchanged = SUITE.model_copy(update={"tasks": (*SUITE.tasks[1:], task("easy"))})

    verdict = judge(*BETTER, exchanged, RULES)

    assert verdict.outcome == "insufficient evidence"
    assert "are not those that its id was made of" in verdict.reasons[0]


def test_a_suite_that_holds_a_task_twice_is_no_evidence() -> None:
    doubled = make_suite((*SUITE.tasks, SUITE.tasks[0]))

    verdict = judge(*BETTER, doubled, RULES)

    assert verdict.outcome == "insufficient evidence"
    assert "holds a task more than once" in verdict.reasons[0]


def test_a_guard_that_is_no_task_is_no_evidence() -> None:
    suite = make_suite(SUITE.tasks, frozenset({"safety-01"}))

    verdict = judge(*BETTER, suite, RULES)

    assert verdict.outcome == "insufficient evidence"
    assert "guard 'safety-01' is no task" in verdict.reasons[0]


def test_an_empty_suite_is_refused() -> None:
    empty = Suite(id="suite-empty", tasks=())

    with pytest.raises(EmptySuiteError, match="holds no task"):
        judge(card(empty, CANDIDATE, {}), card(empty, CHAMPION, {}), empty, RULES)
