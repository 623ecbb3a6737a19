from pathlib import Path

import pytest

from tests.curation.conversations import DAY, calls, reply, says, trace, user
from tests.curation.kept import keep
from tracemill.curation.finding import FailureMode
from tracemill.curation.mine import mine
from tracemill.curation.modes import failure_modes
from tracemill.ingest.store import Store
from tracemill.ingest.trace import ModelRef, Trace
from tracemill.record import content_id


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store.duckdb")


def night(day: int, *, version: str, failing: int, of: int = 40) -> list[Trace]:
    """A night in which `failing` of the traces show the planted mode."""
    error = reply(f"Error: the voucher V{day}77 is not valid in 2026")
    return [
        trace(
            user("refund 332"), calls("refund_order", order_id=332),
            error if index < failing else reply("done"), says("ok"),
            id_=f"{day}-{version}-{index}", day=day, model=ModelRef(name="desk", version=version),
        )
        for index in range(of)
    ]  # fmt: skip


def planted(store: Store) -> FailureMode:
    return next(mode for mode in failure_modes(store) if mode.detector == "tool error")


def test_a_planted_mode_is_fixed_and_two_nights_later_regressed_under_its_old_id(
    store: Store,
) -> None:
    keep(store, night(0, version="1", failing=12))
    mine(store, now=DAY)
    first = planted(store)
    keep(store, night(1, version="2", failing=0))
    mine(store, now=DAY)
    fixed = planted(store)

    keep(store, night(3, version="3", failing=9))
    mine(store, now=DAY)
    back = planted(store)

    assert (first.standing, fixed.standing, back.standing) == ("new", "fixed", "regressed")
    assert first.id == fixed.id == back.id
    assert (back.fixed_in, back.regressed_in) == ("desk@2", "desk@3")
    assert [(count.night, count.traces) for count in back.counts] == [
        ("2026-03-01", 12),
        ("2026-03-04", 9),
    ]


def test_ids_do_not_depend_on_how_often_mining_runs(tmp_path: Path, airline: list[Trace]) -> None:
    runs = airline
    with Store(tmp_path / "once") as once, Store(tmp_path / "often") as often:
        keep(once, runs)
        mine(once, now=DAY)
        known: dict[str, str] = {}
        for first in range(0, 200, 50):
            keep(often, runs[first : first + 50])
            mine(often, now=DAY)
            found = dict(often.execute("SELECT signature, mode FROM mode_signatures"))
            assert known.items() <= found.items()
            known = found

        names = {mode.name for mode in failure_modes(once)}

        assert len({mode.name for mode in failure_modes(often)} & names) > 0.8 * len(names)


def test_another_agents_traces_do_not_fix_a_mode(store: Store) -> None:
    keep(store, night(0, version="1", failing=12))
    others = [
        trace(user("hi"), says("hello"), id_=f"o{i}", day=1, agent="other") for i in range(80)
    ]

    keep(store, others)
    mine(store, now=DAY)

    assert planted(store).standing == "new"


def test_exemplars_are_traces_that_show_the_mode(store: Store) -> None:
    keep(store, night(0, version="1", failing=5))
    mine(store, now=DAY)

    assert len(planted(store).exemplars) == 3
    assert set(planted(store).exemplars) <= {f"0-1-{i}" for i in range(5)}


CITIES = ("Rome", "Oslo", "Bern", "Lima", "Kyiv", "Riga")


def refusals(day: int, *, version: str, cancelling: int, of: int = 40) -> list[Trace]:
    """A night in which requests to cancel a flight are refused, and one gift card's in ten."""
    return [
        trace(
            user(f"please cancel my flight to {CITIES[index % 6]}" if index < of // 2
                 else f"what is left on the gift card that I got for {CITIES[index % 6]}"),
            says("I cannot help with that." if index < cancelling or index >= of - 6 else "Done."),
            id_=f"{day}-{version}-{index}", day=day, model=ModelRef(name="desk", version=version),
        )
        for index in range(of)
    ]  # fmt: skip


def refused(store: Store) -> dict[str, FailureMode]:
    return {mode.name: mode for mode in failure_modes(store) if mode.detector == "refused"}


def test_a_claim_without_an_error_is_told_apart_by_what_had_been_asked_for(store: Store) -> None:
    keep(store, refusals(0, version="1", cancelling=15))
    mine(store, now=DAY)

    found = refused(store)

    assert sorted(found) == [
        "the agent refused: cancel flight",
        "the agent refused: left gift card got",
    ]
    assert found["the agent refused: cancel flight"].counts[0].traces == 15


def test_a_mode_told_by_its_requests_is_regressed_under_its_old_id(store: Store) -> None:
    name = "the agent refused: cancel flight"
    for day, version, cancelling in ((0, "1", 15), (1, "2", 0), (3, "3", 12)):
        keep(store, refusals(day, version=version, cancelling=cancelling))
        mine(store, now=DAY)
        mode = refused(store)[name]
        if day == 0:
            first = mode.id
        if day == 1:
            assert mode.standing == "fixed"

    assert (mode.id, mode.standing, mode.fixed_in) == (first, "regressed", "desk@2")
    assert len(refused(store)) == 2


def test_a_store_of_before_requests_were_kept_goes_on_under_the_ids_it_has(store: Store) -> None:
    keep(store, refusals(0, version="1", cancelling=2, of=8))
    mine(store, now=DAY)
    shared = content_id("mode", ["refused", None, "the agent refused"])
    store.execute("ALTER TABLE findings DROP COLUMN request")
    store.execute("UPDATE findings SET signature = ? WHERE detector = 'refused'", [shared])
    store.execute("DELETE FROM mode_signatures WHERE detector = 'refused' AND mode <> signature")

    keep(store, refusals(1, version="1", cancelling=0, of=8))
    mine(store, now=DAY)

    assert shared in {mode.id for mode in refused(store).values()}


def test_real_failed_episodes_make_a_few_modes_that_read_well(
    store: Store, airline: list[Trace]
) -> None:
    keep(store, airline)
    mine(store, now=DAY)

    failed = [mode for mode in failure_modes(store) if mode.detector == "low reward"]

    names = {mode.name.removeprefix("the episode failed by its own reward") for mode in failed}
    assert 2 <= len(failed) <= 12
    assert any("cancel" in name for name in names)
    assert sum(count.traces for mode in failed for count in mode.counts) == 116
