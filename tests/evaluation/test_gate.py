import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.evaluation.cards import CANDIDATE, CHAMPION, both, card, suite_of, task
from tracemill.errors import EmptySuiteError
from tracemill.evaluation.gate import judge
from tracemill.evaluation.gate_rules import GateRules
from tracemill.evaluation.scorecard import Scorecard
from tracemill.evaluation.suite import Suite, make_suite
from tracemill.evaluation.verdict import Verdict

RULES = GateRules()
SUITE = suite_of({"refund_order": 60, "convert": 60})
BETTER = both(SUITE, {"refund_order": 5, "convert": 58}, {"refund_order": 55, "convert": 58})


def changed(scorecard: Scorecard, place: int, **fields: object) -> Scorecard:
    """The scorecard with one rollout changed."""
    rollouts = list(scorecard.rollouts)
    rollouts[place] = rollouts[place].model_copy(update=fields)
    return scorecard.model_copy(update={"rollouts": tuple(rollouts)})


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


def test_a_handful_of_tasks_is_insufficient_whatever_they_say() -> None:
    suite = suite_of({"convert": 19})

    verdict = judge(*both(suite, {}, {"convert": 19}), suite, RULES)

    assert verdict.outcome == "insufficient evidence"
    assert verdict.reasons[0] == "only 19 tasks scored, 20 are wanted"


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
    cards = [card(SUITE, model, {}, seeds=[]) for model in (CANDIDATE, CHAMPION)]

    verdict = judge(*cards, SUITE, RULES)

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
