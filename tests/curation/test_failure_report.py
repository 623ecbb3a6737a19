from pathlib import Path

import pytest

from tests.curation.conversations import DAY, calls, reply, trace, user
from tests.curation.kept import keep
from tracemill.curation.failure_report import failure_overview
from tracemill.curation.mine import mine
from tracemill.ingest.store import Store
from tracemill.ingest.trace import Trace


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store.duckdb")


def test_airline_failures_are_said_in_words_an_engineer_would_use(
    store: Store, airline: list[Trace]
) -> None:
    keep(store, airline)
    mine(store, now=DAY)

    names = {line.name for line in failure_overview(store).lines}

    assert "update_reservation_flights: payment method not found" in names
    assert "book_reservation: payment amount does not add up, total price is …, but paid …" in names
    wrong = "book_reservation called with other arguments than expected ("
    assert any(name.startswith(wrong) and "payment_methods" in name for name in names)


def test_outages_stand_apart_and_in_no_share(store: Store, resilience: list[Trace]) -> None:
    keep(store, resilience)
    mine(store, now=DAY)

    overview = failure_overview(store)

    assert (overview.traces, overview.infrastructure_traces) == (115, 67)
    last = overview.lines[-1]
    assert (last.is_infrastructure, last.traces) == (True, 67)
    assert last.name == "get_order_details: Error: 503 Service Unavailable"
    assert all(line.share <= 1 and line.traces <= 48 for line in overview.lines[:-1])


def test_the_trend_counts_traces_by_night(store: Store) -> None:
    def refused(id_: str, day: int) -> Trace:
        error = reply(f"Error: order {day} not found")
        return trace(user("x"), calls("refund_order", order_id=day), error, id_=id_, day=day)

    keep(store, [refused("a", 0), refused("b", 0), refused("c", 2)])
    mine(store, now=DAY)

    overview = failure_overview(store)

    assert overview.nights == ("2026-03-01", "2026-03-03")
    assert [(line.name, line.trend) for line in overview.lines] == [
        ("refund_order: order … not found", (2, 1))
    ]
    assert (overview.failure_share, overview.lines[0].models) == (1.0, ("desk@1",))


def test_an_empty_store_has_no_share(store: Store) -> None:
    overview = failure_overview(store)

    assert (overview.traces, overview.failure_share, overview.lines) == (0, None, ())
