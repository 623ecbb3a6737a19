from pathlib import Path

import pytest
from statsmodels.stats.proportion import proportion_confint

from tests.deploy.served import DAY, keep, outage, refused, served
from tests.ingest.real import read
from tracemill.curation.mine import mine
from tracemill.deploy.live import live_rates, make_rate
from tracemill.ingest.store import Store
from tracemill.ingest.trace import ModelRef


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store.duckdb")


def test_failures_are_counted_by_model_version_in_order_of_time(store: Store) -> None:
    keep(store, [served(f"b{n}", version="2", reward=float(n > 0), day=1) for n in range(4)])
    keep(store, [served(f"a{n}", version="1", reward=float(n > 2)) for n in range(5)])
    mine(store, now=DAY)

    rates = live_rates(store)

    assert [(r.model.version, r.failed, r.traces, r.share) for r in rates] == [
        ("1", 3, 5, 0.6),
        ("2", 1, 4, 0.25),
    ]


def test_a_trace_that_met_an_outage_is_in_neither_count(store: Store) -> None:
    keep(store, [served("good", version="1", reward=1.0), outage("broken", version="1")])
    mine(store, now=DAY)

    (rate,) = live_rates(store)

    assert (rate.traces, rate.failed, rate.infrastructure) == (1, 0, 1)


def test_a_tool_error_is_a_failure_only_where_no_reward_says_how_it_ended(store: Store) -> None:
    keep(store, [refused("recovered", version="1", reward=1.0)])
    keep(store, [refused("unjudged", version="2", reward=None)])
    mine(store, now=DAY)

    recovered, unjudged = live_rates(store)

    assert (recovered.failed, recovered.traces) == (0, 1)
    assert (unjudged.failed, unjudged.traces) == (1, 1)


def test_where_all_met_an_outage_there_is_no_share(store: Store) -> None:
    keep(store, [outage("broken", version="1")])
    mine(store, now=DAY)

    (rate,) = live_rates(store)

    assert (rate.share, rate.low, rate.high) == (None, 0.0, 1.0)


def test_a_trace_that_was_not_mined_yet_is_not_taken_for_healthy(store: Store) -> None:
    keep(store, [served("a", version="1", reward=0.0)])
    mine(store, now=DAY)
    keep(store, [served("b", version="1", reward=0.0)])

    (rate,) = live_rates(store)

    assert (rate.traces, rate.failed) == (1, 1)


def test_a_detector_of_an_older_release_holds_nothing_back(store: Store) -> None:
    keep(store, [served("a", version="1", reward=0.0)])
    mine(store, now=DAY)
    with store.transaction():
        store.append("mining_progress", ("detector", "version", "changed_at"), [("gone", 1, 0)])

    (rate,) = live_rates(store)

    assert rate.traces == 1


def test_nothing_ingested_or_mined_is_no_rate(store: Store) -> None:
    assert live_rates(store) == ()
    keep(store, [served("a", version="1", reward=0.0)])
    assert live_rates(store) == ()


def test_the_interval_is_wilsons() -> None:
    rate = make_rate(ModelRef(name="desk"), traces=40, failed=3, infrastructure=0, seen=(DAY, DAY))

    expected = proportion_confint(3, 40, method="wilson")
    assert (rate.low, rate.high) == pytest.approx(expected)


def test_recorded_runs_with_injected_outages_keep_them_apart(
    store: Store, real_traces: Path
) -> None:
    traces = read(real_traces, "tau-bench-resilience")
    keep(store, traces)
    mine(store, now=DAY)

    (rate,) = live_rates(store)

    assert rate.infrastructure > 0
    assert rate.traces + rate.infrastructure == len(traces)
    assert rate.share is not None
    assert rate.low <= rate.share <= rate.high
