import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from tracemill.evaluation.stats import (
    Cluster,
    PairCounts,
    effective_counts,
    fate_correlation,
    holm,
    mid_p,
    pairs_to_show_gain,
    pairs_to_show_no_loss,
    sign_flip_p,
    tango_interval,
    tango_score,
)

counts = st.integers(1, 300).flatmap(
    lambda pairs: st.integers(0, pairs).flatmap(
        lambda gained: st.integers(0, pairs - gained).map(
            lambda lost: PairCounts(gained, lost, pairs)
        )
    )
)
clusters = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)).map(
        lambda t: Cluster(t[0], t[1], sum(t) or 1)
    ),
    min_size=1,
    max_size=12,
)


@given(counts)
def test_mid_p_is_the_exact_p_less_half_the_chance_of_what_was_seen(seen: PairCounts) -> None:
    gained, discordant = int(seen.gained), int(seen.gained + seen.lost)

    exact = (
        scipy_stats.binomtest(gained, discordant, alternative="greater").pvalue
        if discordant
        else 1.0
    )

    seen_chance = scipy_stats.binom.pmf(gained, discordant, 0.5)
    assert mid_p(gained, seen.lost) == pytest.approx(exact - seen_chance / 2)


@pytest.mark.parametrize(("gained", "lost"), [(7, 1), (16, 6), (47, 21), (12, 0)])
def test_mid_p_doubled_agrees_with_statsmodels_exact_mcnemar(gained: int, lost: int) -> None:
    two_sided = mcnemar([[0, lost], [gained, 0]], exact=True).pvalue

    seen_chance = scipy_stats.binom.pmf(gained, gained + lost, 0.5)
    assert 2 * mid_p(gained, lost) == pytest.approx(two_sided - seen_chance)


@pytest.mark.parametrize(("gained", "lost", "two_sided"), [(7, 1, 0.0391), (16, 6, 0.034690)])
def test_mid_p_gives_the_published_values(gained: int, lost: int, two_sided: float) -> None:
    # Fagerland, Lydersen & Laake 2017, Statistical Analysis of Contingency Tables, chapter 8:
    # airway hyper-responsiveness (Bentur 2009), complete response (Cavo 2012)
    assert 2 * mid_p(gained, lost) == pytest.approx(two_sided, abs=5e-5)


@pytest.mark.parametrize(
    ("seen", "level", "low", "high"),
    [
        (PairCounts(1, 7, 21), 0.95, -0.5172, -0.0260),  # Bentur 2009, as above
        (PairCounts(6, 16, 161), 0.95, -0.1240, -0.0054),  # Cavo 2012, as above
        (PairCounts(48, 41, 549), 0.90, -0.0157, 0.0414),  # R, PropCIs::scoreci.mp(41, 48, 549)
    ],
)
def test_tango_interval_gives_the_published_values(
    seen: PairCounts, level: float, low: float, high: float
) -> None:
    interval = tango_interval(seen, level=level)

    assert (interval.low, interval.high) == pytest.approx((low, high), abs=6e-5)


@given(counts, st.sampled_from([0.8, 0.9, 0.95]))
def test_tango_interval_is_what_the_score_test_does_not_reject(
    seen: PairCounts, level: float
) -> None:
    interval = tango_interval(seen, level=level)

    z = scipy_stats.norm.ppf((1 + level) / 2)
    assert -1 <= interval.low <= interval.estimate <= interval.high <= 1
    for end in (interval.low, interval.high):
        if abs(end) < 1 - 1e-6 and abs(end - interval.estimate) > 1e-6:
            assert abs(tango_score(*seen, end)) == pytest.approx(z, abs=1e-4)


@given(counts)
def test_tango_interval_is_mirrored_when_the_models_change_places(seen: PairCounts) -> None:
    ours = tango_interval(seen, level=0.9)
    theirs = tango_interval(PairCounts(seen.lost, seen.gained, seen.pairs), level=0.9)

    assert (ours.low, ours.high) == pytest.approx((-theirs.high, -theirs.low), abs=1e-8)


@given(st.integers(1, 2000))
def test_agreement_everywhere_still_leaves_room_for_a_loss(pairs: int) -> None:
    interval = tango_interval(PairCounts(0, 0, pairs), level=0.9)

    z = scipy_stats.norm.ppf(0.95)
    assert interval.low == pytest.approx(-(z**2) / (pairs + z**2))


def test_the_non_inferiority_test_errs_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    margin, pairs = 0.05, 200  # the true loss is the margin itself
    gained, lost, _ = rng.multinomial(pairs, [0.05, 0.10, 0.85], size=20_000).T

    passed = tango_score(gained, lost, pairs, -margin) > scipy_stats.norm.ppf(0.95)

    assert 0.04 < passed.mean() < 0.06


def test_mid_p_errs_as_often_as_it_says() -> None:
    rng = np.random.default_rng(2)
    gained, lost, _ = rng.multinomial(300, [0.06, 0.06, 0.88], size=20_000).T

    assert 0.04 < (mid_p(gained, lost) < 0.05).mean() < 0.055


@pytest.mark.parametrize(("effect", "discordance"), [(0.05, 0.10), (0.10, 0.30), (0.30, 0.40)])
def test_so_many_pairs_show_a_gain_with_the_power_asked_for(
    effect: float, discordance: float
) -> None:
    pairs = pairs_to_show_gain(effect, discordance, alpha=0.05, power=0.8)

    shares = [(discordance + effect) / 2, (discordance - effect) / 2, 1 - discordance]
    gained, lost, _ = np.random.default_rng(3).multinomial(pairs, shares, size=10_000).T
    assert 0.77 < (mid_p(gained, lost) < 0.05).mean() < 0.85


def test_the_number_of_pairs_for_a_gain_is_the_published_one() -> None:
    # Connor 1987: one-sided 5 %, power 80 %, 10 % discordant
    assert pairs_to_show_gain(0.02, 0.10, alpha=0.05, power=0.8) == 1544
    assert pairs_to_show_gain(0.05, 0.10, alpha=0.05, power=0.8) == 246


@pytest.mark.parametrize(("margin", "discordance"), [(0.05, 0.10), (0.03, 0.10), (0.10, 0.20)])
def test_so_many_pairs_show_no_loss_with_the_power_asked_for(
    margin: float, discordance: float
) -> None:
    pairs = pairs_to_show_no_loss(margin, discordance, level=0.9, power=0.8)

    shares = [discordance / 2, discordance / 2, 1 - discordance]
    gained, lost, _ = np.random.default_rng(4).multinomial(pairs, shares, size=10_000).T
    shown = tango_score(gained, lost, pairs, -margin) > scipy_stats.norm.ppf(0.95)
    assert 0.77 < shown.mean() < 0.85


@given(st.floats(0.01, 0.5), st.sampled_from([0.8, 0.9, 0.95]))
def test_so_many_pairs_in_agreement_are_just_enough_for_the_margin(
    margin: float, level: float
) -> None:
    pairs = pairs_to_show_no_loss(margin, 0.0, level=level, power=0.8)

    assert tango_interval(PairCounts(0, 0, pairs + 1), level=level).low > -margin
    assert tango_interval(PairCounts(0, 0, max(pairs - 1, 1)), level=level).low <= -margin or (
        pairs == 1
    )


@given(counts)
def test_sign_flip_is_mcnemar_where_no_pairs_share_a_group(seen: PairCounts) -> None:
    gained, lost, pairs = map(int, seen)
    alone = [Cluster(1, 0, 1)] * gained + [Cluster(0, 1, 1)] * lost
    alone += [Cluster(0, 0, 1)] * (pairs - gained - lost)

    assert sign_flip_p(alone) == pytest.approx(float(mid_p(gained, lost)))


@settings(max_examples=50)
@given(clusters)
def test_sign_flip_counts_all_flips(seen: list[Cluster]) -> None:
    totals = np.array([each.gained - each.lost for each in seen])
    flips = np.array(np.meshgrid(*[[-1, 1]] * len(seen))).reshape(len(seen), -1)

    sums = totals @ flips
    brute = (sums > totals.sum()).mean() + (sums == totals.sum()).mean() / 2
    assert sign_flip_p(seen) == pytest.approx(brute)


def test_five_copies_of_a_task_are_no_more_evidence_than_one() -> None:
    once = [Cluster(1, 0, 1)] * 6 + [Cluster(0, 1, 1)] * 2 + [Cluster(0, 0, 1)] * 12
    copied = [Cluster(*(5 * count for count in each)) for each in once]

    assert sign_flip_p(copied) == pytest.approx(sign_flip_p(once))
    assert fate_correlation(copied) == pytest.approx(1.0)
    assert effective_counts(copied, correlation=1.0) == pytest.approx((6, 2, 20))


def test_groups_whose_tasks_have_nothing_in_common_cost_nothing() -> None:
    rng = np.random.default_rng(5)
    drawn = rng.multinomial(4, [0.2, 0.1, 0.7], size=2000)
    seen = [Cluster(int(gained), int(lost), 4) for gained, lost, _ in drawn]

    correlation = fate_correlation(seen)

    assert correlation is not None
    assert correlation < 0.05


def test_too_few_differing_groups_do_not_tell_how_alike_their_tasks_are() -> None:
    assert fate_correlation([Cluster(3, 0, 3)] * 4 + [Cluster(0, 0, 3)] * 20) is None


def test_ignoring_groups_would_promote_far_too_often() -> None:
    rng = np.random.default_rng(6)
    together, apart = [], []
    for _ in range(2000):  # 30 groups of 6 tasks, each group of one fate, no true difference
        fates = rng.choice([1, -1, 0], p=[0.2, 0.2, 0.6], size=30)
        groups = [Cluster(6 * (fate == 1), 6 * (fate == -1), 6) for fate in fates]
        together.append(sign_flip_p(groups) < 0.05)
        apart.append(float(mid_p(6 * (fates == 1).sum(), 6 * (fates == -1).sum())) < 0.05)

    assert np.mean(together) < 0.06
    assert np.mean(apart) > 0.2


@settings(max_examples=15)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_agrees_with_statsmodels(p_values: list[float]) -> None:
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1])


def test_holm_of_nothing_is_nothing() -> None:
    assert holm([]) == ()
