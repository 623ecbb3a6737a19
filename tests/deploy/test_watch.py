from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate

from tests.deploy.rounds import NOW
from tests.deploy.served import DAY, keep, outage, served
from tracemill.curation.mine import mine
from tracemill.deploy.live import LiveRate, live_outcomes, live_rates, make_rate
from tracemill.deploy.watch import Watch, WatchOptions, largest_e_value, log_e_value, watch
from tracemill.ingest.store import Store
from tracemill.ingest.trace import ModelRef

OLD, NEW = ModelRef(name="desk", version="1"), ModelRef(name="desk", version="2")


def rate(failed: int, traces: int) -> LiveRate:
    return make_rate(OLD, traces=traces, failed=failed, infrastructure=0, seen=(NOW, NOW))


def test_a_champion_that_fails_far_more_is_to_go() -> None:
    seen = watch(NEW, [True, True, False] * 30, rate(20, 200), WatchOptions())

    assert seen.recommends_demotion
    assert seen.evidence > 100
    assert "desk@2 failed 60 of 90 traces (67%), more than the 20% tolerated" in seen.reason
    assert Watch.from_json(seen.to_json()) == seen


def test_a_champion_that_fails_less_stays() -> None:
    seen = watch(NEW, [True] + [False] * 99, rate(100, 200), WatchOptions())

    assert not seen.recommends_demotion
    assert "not shown to be more than" in seen.reason


@pytest.mark.parametrize("reference", [None, rate(1, 5)])
def test_without_traces_to_compare_with_nothing_is_recommended(reference: LiveRate | None) -> None:
    seen = watch(NEW, [True] * 50, reference, WatchOptions())

    assert not seen.recommends_demotion
    assert seen.tolerated is None
    assert "too few to compare" in seen.reason


def test_few_traces_of_the_champion_are_no_evidence() -> None:
    assert not watch(NEW, [True] * 19, rate(1, 200), WatchOptions()).recommends_demotion


def test_evidence_once_seen_is_not_unseen() -> None:
    failing = [True] * 30

    assert watch(NEW, failing + [False] * 500, rate(1, 200), WatchOptions()).recommends_demotion


def test_however_often_it_is_looked_at_false_alarms_are_rare() -> None:
    rng = np.random.default_rng(3)

    alarms = [largest_e_value(list(rng.random(2000) < 0.3), 0.3) >= 20 for _ in range(400)]

    assert np.mean(alarms) < 0.05


def test_a_champion_that_fails_half_the_time_is_found_within_200_traces() -> None:
    rng = np.random.default_rng(4)

    alarms = [largest_e_value(list(rng.random(200) < 0.5), 0.3) >= 100 for _ in range(200)]

    assert np.mean(alarms) > 0.95


@given(st.integers(0, 40), st.integers(0, 40), st.floats(0.05, 0.95))
def test_the_e_value_is_the_average_likelihood_ratio(
    failed: int, passed: int, tolerated: float
) -> None:
    def ratio(p: float) -> float:
        return float((p / tolerated) ** failed * ((1 - p) / (1 - tolerated)) ** passed)

    average = integrate.quad(ratio, tolerated, 1, limit=200)[0] / (1 - tolerated)

    assert np.exp(log_e_value(failed, passed, tolerated)) == pytest.approx(average, rel=1e-4)


def test_nothing_seen_or_everything_tolerated_is_no_evidence() -> None:
    assert largest_e_value([], 0.3) == 1.0
    assert largest_e_value([True] * 50, 1.0) == 1.0
    assert largest_e_value([True] * 10_000, 0.01) < 1e301


def test_the_outcomes_are_those_of_the_store_without_outages(tmp_path: Path) -> None:
    with Store(tmp_path / "store.duckdb") as store:
        keep(store, [served("b", version="2", reward=1.0, day=2)])
        keep(store, [served("a", version="2", reward=0.0, day=1), outage("x", version="2")])
        keep(store, [served("c", version="1", reward=0.0)])
        mine(store, now=DAY)

        outcomes = live_outcomes(store, NEW)

        assert outcomes == (True, False)
        found = {each.model.version: (each.failed, each.traces) for each in live_rates(store)}
        assert found["2"] == (sum(outcomes), len(outcomes))
