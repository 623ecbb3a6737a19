from pathlib import Path

import pytest

from tests.curation.conversations import DAY, calls, reply, says, trace, user
from tests.curation.kept import keep
from tracemill.curation.finding import FailureMode
from tracemill.curation.mine import mine
from tracemill.curation.modes import failure_modes
from tracemill.ingest.store import Store
from tracemill.ingest.trace import ModelRef, Trace


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
