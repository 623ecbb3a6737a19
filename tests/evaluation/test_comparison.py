import pytest

from tests.evaluation.cards import both, suite_of
from tracemill.evaluation.comparison import compare_overall, compare_slices
from tracemill.evaluation.gate_rules import GateRules
from tracemill.evaluation.pairing import PairedTry, pair_tries

RULES = GateRules()


def tries(slice_: str, champion: int, candidate: int, of: int, *, size: int = 1) -> list[PairedTry]:
    """So many tasks in groups of `size`; the first so many pass."""
    return [
        PairedTry(f"{slice_}-{n}", slice_, f"{slice_}-{n // size}", n < champion, n < candidate)
        for n in range(of)
    ]


def test_rates_gains_and_losses_are_counted() -> None:
    suite = suite_of({"convert": 40})
    pairing = pair_tries(*both(suite, {"convert": 10}, {"convert": 30}), suite)

    found, p = compare_overall(pairing.tries, RULES)

    result = found.result
    assert (result.champion_rate, result.candidate_rate) == (0.25, 0.75)
    assert (result.gained, result.lost, result.tasks, result.tries) == (20, 0, 40, 40)
    assert p == pytest.approx(0.5**21)


def test_a_small_loss_within_the_margin_passes() -> None:
    (found,) = compare_slices(tries("convert", 391, 389, 400), ["convert"], RULES)

    assert found.result.lost == 2
    assert found.result.outcome == "pass"


def test_a_loss_that_one_slice_would_show_is_not_called_one_among_many() -> None:
    """Four losses and no gain have p = 0.03: shown alone, chance among twenty slices."""
    bad = tries("bad", 60, 56, 60)
    others = [tries(f"slice-{n}", 60, 60, 60) for n in range(19)]

    alone = compare_slices(bad, ["bad"], RULES)
    among = compare_slices(
        bad + [each for slice_ in others for each in slice_],
        ["bad", *(f"slice-{n}" for n in range(19))],
        RULES,
    )

    assert alone[0].result.outcome == "fail"
    assert among[0].result.outcome == "insufficient"
    assert {part.result.outcome for part in among[1:]} == {"pass"}


def test_a_slice_without_disagreement_borrows_how_alike_its_groups_are() -> None:
    """Groups that act as one in the rest of the suite are one witness each here too."""
    alike = tries("refund_order", 0, 60, 90, size=3)
    alone = tries("refund_order", 0, 60, 90)
    quiet = tries("convert", 60, 60, 60, size=3)

    names = ["refund_order", "convert"]
    strict = compare_slices(alike + quiet, names, RULES)[1].result
    loose = compare_slices(alone + tries("convert", 60, 60, 60), names, RULES)[1].result

    assert strict.difference.low < -0.1 < -RULES.slice_margin < loose.difference.low
    assert (strict.outcome, loose.outcome) == ("insufficient", "pass")


def test_groups_that_are_independent_elsewhere_are_taken_for_that_in_a_quiet_slice() -> None:
    """In each group of the busy slice one task of three is gained: nothing in common."""
    busy = [
        each._replace(group=f"refund_order-{n % 30}", candidate_passed=n < 30)
        for n, each in enumerate(tries("refund_order", 0, 0, 90))
    ]
    quiet = tries("convert", 60, 60, 60, size=3)

    (found,) = compare_slices(busy + quiet, ["convert"], RULES)

    assert found.result.outcome == "pass"


def test_where_nothing_tells_how_alike_a_group_is_it_counts_as_one_task() -> None:
    quiet = tries("convert", 60, 60, 60, size=3)

    (found,) = compare_slices(quiet, ["convert"], RULES)

    assert found.result.outcome == "insufficient"
    assert found.needed == "convert: about 156 tasks (it has 60)"


def test_a_slice_too_small_says_how_many_tasks_it_would_take() -> None:
    (found,) = compare_slices(tries("convert", 60, 58, 60), ["convert"], RULES)

    assert found.result.outcome == "insufficient"
    assert found.needed == "convert: about 133 tasks (it has 60)"


def test_a_seeming_loss_in_a_large_slice_is_not_blamed_on_its_size() -> None:
    lost, gained = tries("convert", 15, 0, 15), tries("convert", 0, 285, 285)
    gained = [
        each._replace(task_id=f"g-{n}", group=f"g-{n}", champion_passed=n >= 8)
        for n, each in enumerate(gained)
    ]

    (found,) = compare_slices(lost + gained, ["convert"], RULES)

    assert found.result.outcome == "insufficient"
    assert found.needed == "convert: more than its 300 tasks, or a smaller loss"
