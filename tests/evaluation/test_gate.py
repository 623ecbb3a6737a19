import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.evaluation.cards import CANDIDATE, CHAMPION, both, card, changed, suite_of, task
from tracemill.evaluation.gate import judge
from tracemill.evaluation.gate_rules import GateRules
from tracemill.evaluation.suite import make_suite
from tracemill.evaluation.verdict import Verdict

RULES = GateRules()
SUITE = suite_of({"refund_order": 60, "convert": 60})
BETTER = both(SUITE, {"refund_order": 5, "convert": 58}, {"refund_order": 55, "convert": 58})


def test_a_clear_gain_without_a_loss_is_promoted_and_says_how_much() -> None:
    verdict = judge(*BETTER, SUITE, RULES)

    assert verdict.outcome == "promote"
    assert verdict.promotes
    assert verdict.reasons[0].startswith("better: 63 of 120 → 113 of 120 (+42 points")
    assert "refund_order: 5 of 60 → 55 of 60 (+83 points" in verdict.reasons[1]
    assert len(verdict.fixed) == 50
    assert verdict.broken == ()
    assert verdict.needed == ""


def test_a_slice_that_got_worse_holds_the_candidate_however_much_the_whole_gained() -> None:
    suite = suite_of({"refund_order": 200, "convert": 24})
    cards = both(suite, {"convert": 24}, {"refund_order": 190, "convert": 3})

    verdict = judge(*cards, suite, RULES)

    assert verdict.outcome == "hold"
    assert verdict.reasons[0].startswith("convert: 24 of 24 → 3 of 24, worse by 88 points (90 %")
    assert len(verdict.broken) == 21


def test_a_candidate_that_changes_nothing_is_held() -> None:
    same = {"refund_order": 30, "convert": 30}

    verdict = judge(*both(SUITE, same, same), SUITE, RULES)

    assert verdict.outcome == "hold"
    assert verdict.reasons[0].startswith("not better: 60 of 120 → 60 of 120")


def test_a_gain_too_small_to_matter_is_held() -> None:
    suite = suite_of({"convert": 1000})
    cards = both(suite, {"convert": 500}, {"convert": 509})

    verdict = judge(*cards, suite, RULES)

    assert verdict.p_value is not None
    assert verdict.p_value < RULES.alpha
    assert verdict.outcome == "hold"
    assert "less than the 1 point worth a change" in verdict.reasons[0]


def test_a_gain_that_chance_explains_is_insufficient_and_says_what_it_would_take() -> None:
    cards = both(SUITE, {"refund_order": 30, "convert": 58}, {"refund_order": 33, "convert": 58})

    verdict = judge(*cards, SUITE, RULES)

    assert verdict.outcome == "insufficient evidence"
    assert "chance is not ruled out" in verdict.reasons[0]
    assert "about 246 tasks to show a gain of this size" in verdict.needed


def test_a_slice_in_which_all_agree_is_no_proof_when_it_is_small() -> None:
    suite = suite_of({"refund_order": 100, "convert": 24})
    cards = both(suite, {"convert": 24}, {"refund_order": 90, "convert": 24})

    verdict = judge(*cards, suite, RULES)

    assert verdict.outcome == "insufficient evidence"
    assert verdict.reasons[0] == (
        "convert: 24 of 24 → 24 of 24 (0 points, 90 % interval -10 to +10): a loss of up to 10 "
        "points is not ruled out, 5 would be tolerated"
    )
    assert verdict.needed == "convert: about 52 tasks (it has 24)"


def test_the_same_slice_passes_at_the_margin_that_its_size_can_show() -> None:
    suite = suite_of({"refund_order": 100, "convert": 24})
    cards = both(suite, {"convert": 24}, {"refund_order": 90, "convert": 24})

    rules = GateRules(slice_margins={"convert": 0.11})

    assert judge(*cards, suite, rules).outcome == "promote"


def test_a_margin_for_a_slice_that_is_not_there_is_told() -> None:
    verdict = judge(*BETTER, SUITE, GateRules(slice_margins={"refund_ordr": 0.2}))

    assert verdict.reasons[-1] == (
        "a margin is set for 'refund_ordr', but the suite has no such slice"
    )


@pytest.mark.parametrize("margin", [0.0, -0.1, 1.0])
def test_a_margin_that_is_none_is_refused(margin: float) -> None:
    with pytest.raises(ValidationError):
        GateRules(slice_margins={"convert": margin})


def test_one_lost_guard_holds_the_candidate() -> None:
    suite = suite_of({"refund_order": 60, "convert": 60}, guards=["convert-05"])
    candidate, champion = both(suite, {"convert": 60}, {"refund_order": 60, "convert": 60})
    lost = changed(candidate, 5, reward=0.0)

    verdict = judge(lost, champion, suite, RULES)

    assert judge(candidate, champion, suite, RULES).outcome == "promote"
    assert verdict.outcome == "hold"
    assert verdict.reasons[0] == "lost 1 task on which no loss is allowed: convert-05"


def test_a_guard_without_a_score_is_insufficient() -> None:
    suite = suite_of({"refund_order": 100, "convert": 60}, guards=["convert-05"])
    candidate = card(suite, CANDIDATE, {"refund_order": 90, "convert": 60}, unscored=["convert-05"])

    verdict = judge(candidate, card(suite, CHAMPION, {"convert": 60}), suite, RULES)

    assert verdict.outcome == "insufficient evidence"
    assert verdict.reasons[0] == "no score on both sides for guard convert-05"


def test_a_candidate_that_needs_far_more_words_for_the_same_is_held() -> None:
    candidate, champion = BETTER
    wordy = candidate.model_copy(
        update={
            "rollouts": tuple(
                each.model_copy(update={"completion_tokens": 12}) for each in candidate.rollouts
            )
        }
    )

    verdict = judge(wordy, champion, SUITE, RULES)

    assert verdict.outcome == "hold"
    assert verdict.reasons[0] == (
        "writes 2.4 times as many tokens as the champion on the tasks that both pass, 2 are allowed"
    )
    assert judge(wordy, champion, SUITE, GateRules(max_length_ratio=3)).promotes


def test_a_handful_of_tasks_is_insufficient_whatever_they_say() -> None:
    suite = suite_of({"convert": 19})

    verdict = judge(*both(suite, {}, {"convert": 19}), suite, RULES)

    assert verdict.outcome == "insufficient evidence"
    assert verdict.reasons[0] == "only 19 tasks scored, 20 are wanted"


def test_seeds_of_one_task_are_not_taken_for_more_tasks() -> None:
    suite = suite_of({"convert": 30})
    seeds = list(range(5))
    candidate = card(suite, CANDIDATE, {"convert": 16}, seeds=seeds)

    verdict = judge(candidate, card(suite, CHAMPION, {"convert": 14}, seeds=seeds), suite, RULES)

    assert verdict.outcome == "insufficient evidence"
    assert verdict.overall is not None
    assert (verdict.overall.tasks, verdict.overall.tries) == (30, 150)
    assert verdict.p_value == pytest.approx(0.125)  # two tasks gained, not ten


def test_tasks_of_one_user_are_not_taken_for_many_witnesses() -> None:
    tasks = tuple(task(f"t{number:02}", group=f"user-{number // 10}") for number in range(60))
    suite = make_suite(tasks)
    cards = both(suite, {"refund_order": 20}, {"refund_order": 30})

    verdict = judge(*cards, suite, RULES)

    assert verdict.outcome == "insufficient evidence"
    assert verdict.p_value == pytest.approx(0.25)


def test_a_verdict_is_read_back_as_it_was_written() -> None:
    verdict = judge(*BETTER, SUITE, RULES)

    assert Verdict.from_json(verdict.to_json()) == verdict
    assert "NaN" not in json.dumps(json.loads(verdict.to_json()))


passes = st.fixed_dictionaries({"refund_order": st.integers(0, 60), "convert": st.integers(0, 60)})


@settings(max_examples=40, deadline=None)
@given(passes, passes)
def test_a_candidate_is_never_promoted_together_with_its_opposite(
    ours: dict[str, int], theirs: dict[str, int]
) -> None:
    forth = judge(*both(SUITE, theirs, ours), SUITE, RULES)
    back = judge(*both(SUITE, ours, theirs), SUITE, RULES)

    assert not (forth.promotes and back.promotes)
    assert forth.fixed == back.broken


@settings(max_examples=40, deadline=None)
@given(passes, passes)
def test_a_promoted_candidate_has_passed_every_rule(
    ours: dict[str, int], theirs: dict[str, int]
) -> None:
    verdict = judge(*both(SUITE, theirs, ours), SUITE, RULES)

    if verdict.promotes:
        assert verdict.p_value is not None
        assert verdict.p_value < RULES.alpha
        assert verdict.overall is not None
        assert verdict.overall.difference.estimate >= RULES.min_effect
        assert all(part.difference.low > -RULES.slice_margin for part in verdict.slices)
