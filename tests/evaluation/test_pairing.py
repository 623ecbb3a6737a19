from tests.evaluation.cards import CANDIDATE, CHAMPION, both, card, suite_of
from tracemill.evaluation.pairing import cluster_by_group, find_flaws, pair_tries
from tracemill.evaluation.stats import Cluster

SUITE = suite_of({"convert": 4})


def test_two_whole_scorecards_of_one_suite_have_no_flaw() -> None:
    assert find_flaws(*both(SUITE, {"convert": 1}, {"convert": 3}), SUITE) == ()


def test_every_flaw_is_named_with_its_side() -> None:
    candidate = card(SUITE, CANDIDATE, {}).model_copy(update={"rollouts": ()})
    champion = card(suite_of({"convert": 5}), CHAMPION, {})

    flaws = find_flaws(candidate, champion, SUITE)

    assert flaws[0] == "candidate: has no rollout for task 'convert-00' with seed 0 and 3 more"
    assert flaws[1].startswith("champion: was evaluated on suite")
    assert flaws[2] == "champion: has a rollout for the unknown task 'convert-04' with seed 0"


def test_each_try_is_paired_or_left_out_with_the_side_that_lacks_it() -> None:
    candidate = card(SUITE, CANDIDATE, {"convert": 4}, unscored=["convert-01", "convert-02"])
    champion = card(SUITE, CHAMPION, {"convert": 1}, unscored=["convert-02"])

    pairing = pair_tries(candidate, champion, SUITE)

    assert [each.task_id for each in pairing.tries] == ["convert-00", "convert-03"]
    assert [each.why for each in pairing.excluded] == [
        "candidate infrastructure",
        "candidate infrastructure, champion infrastructure",
    ]
    assert pairing.scored_share == 0.5


def test_pairs_are_counted_by_group() -> None:
    candidate, champion = both(SUITE, {"convert": 1}, {"convert": 3})
    tries = pair_tries(candidate, champion, SUITE).tries
    shared = [each._replace(group="one user") for each in tries]

    assert cluster_by_group(shared) == (Cluster(gained=2, lost=0, pairs=4),)
    assert len(cluster_by_group(tries)) == 4


def test_length_is_compared_where_both_pass() -> None:
    candidate, champion = both(SUITE, {"convert": 1}, {"convert": 3})
    tries = pair_tries(candidate, champion, SUITE)

    assert tries.length_ratio == 1.0
    assert pair_tries(*both(SUITE, {}, {"convert": 3}), SUITE).length_ratio is None
