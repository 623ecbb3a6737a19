"""What is kept of each trace gives what drafting all traces anew would give."""

import random
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.curation.conversations import DAY, calls, reply, says, trace, user
from tests.curation.kept import give_feedback, keep
from tests.curation.test_draft import FAILED_332, corrected
from tests.curation.test_feedback_bursts import corrected as judged
from tracemill.curation.draft import Draft, draft
from tracemill.curation.findings import prepare_tables
from tracemill.curation.forget import forget
from tracemill.curation.kept_drafts import TABLES
from tracemill.curation.mine import mine
from tracemill.curation.options import CurationOptions
from tracemill.ingest.store import Store
from tracemill.ingest.trace import SourceRange, Trace

OPTIONS = CurationOptions(max_feedback_per_user_day=2, max_healthy_per_slice=30)
WRONG, RIGHT = calls("cancel_order", order_id=332), calls("refund_order", order_id=332)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store.duckdb")


def come(store: Store, traces: Iterable[Trace], *, mined: bool = True) -> None:
    """The traces arrive with their feedback, and are mined."""
    traces = list(traces)
    keep(store, traces)
    give_feedback(store, traces)
    if mined:
        mine(store, now=DAY)


def read_by(store: Store, options: CurationOptions = OPTIONS) -> tuple[Draft, int]:
    """What is drafted, and how many traces were read for it."""
    read = [0]
    drafted = draft(store, options, progress=lambda done, total: read.append(done))
    return drafted, read[-1]


def anew(store: Store, options: CurationOptions = OPTIONS) -> Draft:
    """The same where nothing was kept."""
    prepare_tables(store)
    for table in TABLES:
        store.execute(f"DELETE FROM {table}")  # noqa: S608 - tables of ours
    return draft(store, options)


def as_text(drafted: Draft) -> str:
    """Every part of it, byte for byte."""
    rows = (*drafted.tasks, *drafted.unreferenced, *drafted.siblings, *drafted.unpaired)
    rest = replace(drafted, tasks=(), unreferenced=(), siblings=(), unpaired=())
    return "\n".join((*(row.to_json() for row in rows), repr(rest)))


def on_the_wire(traces: list[Trace]) -> list[Trace]:
    return [
        one.model_copy(update={"sources": (place(7 * n % 100),)}) for n, one in enumerate(traces)
    ]


def place(offset: int) -> SourceRange:
    return SourceRange(topic="runs", partition=offset % 3, first_offset=offset, last_offset=offset)


def test_only_what_is_new_is_read_and_the_result_is_that_of_reading_all(
    store: Store, airline: list[Trace]
) -> None:
    traces, read = on_the_wire(airline[:90]), []
    for night in range(3):
        come(store, traces[30 * night : 30 * night + 30])
        drafted, count = read_by(store)
        read.append(count)
        assert as_text(drafted) == as_text(anew(store))

    assert read == [30, 30, 30]
    assert (drafted.traces, len(drafted.tasks) > 40) == (90, True)
    assert {each.partition for each in drafted.sources} == {0, 1, 2}
    assert read_by(store)[1] == 0


def test_the_order_of_arrival_and_the_number_of_nights_leave_no_mark(
    tmp_path: Path, agentdojo: list[Trace]
) -> None:
    options = CurationOptions(may_models_differ=True)
    traces = random.Random(3).sample(agentdojo, 200)
    with Store(tmp_path / "nightly.duckdb") as nightly, Store(tmp_path / "once.duckdb") as once:
        keep(once, sorted(traces, key=lambda one: one.id))
        mine(once, now=DAY)
        for first in range(0, 200, 50):
            keep(nightly, traces[first : first + 50])
            mine(nightly, now=DAY)
            drafted_until_now = draft(nightly, options)

        assert as_text(draft(nightly, options)) == as_text(draft(once, options))
        assert len(drafted_until_now.tasks) > 0


def corrections_kept(drafted: Draft) -> set[str]:
    return {task.sources[0].trace_id for task in drafted.tasks if task.is_failure}


def test_feedback_given_before_what_was_heard_takes_its_place_under_the_cap(store: Store) -> None:
    come(store, [judged(minute, "mia") for minute in (10, 20, 30)])
    before, _ = read_by(store)

    come(store, [judged(5, "mia")])
    after, read = read_by(store)

    assert (corrections_kept(before), corrections_kept(after)) == ({"t10", "t20"}, {"t5", "t10"})
    assert read == 2
    assert as_text(after) == as_text(anew(store))


def test_a_late_correction_changes_the_reference_of_a_trace_that_was_drafted(store: Store) -> None:
    one = trace(user("refund 332"), WRONG, reply("done"), says("cancelled"), id_="t1")
    come(store, [one])
    before, _ = read_by(store)

    come(store, [corrected(one, RIGHT, step=1)])
    after, read = read_by(store)

    assert (corrections_kept(before), corrections_kept(after), read) == (set(), {"t1"}, 1)
    assert as_text(after) == as_text(anew(store))


def test_a_passing_sibling_that_comes_later_makes_a_pair_with_what_failed_before(
    store: Store,
) -> None:
    ask = user("refund 332")
    options = CurationOptions(heldout_share=0.0001)
    come(store, [trace(ask, WRONG, reply("done"), id_="t1", outcome={"reward": 0.0})])
    before, _ = read_by(store, options)

    come(store, [trace(ask, RIGHT, reply("done"), id_="t2", outcome={"reward": 1.0})])
    after, read = read_by(store, options)

    assert (before.siblings, read) == ((), 1)
    assert [(pair.chosen, pair.rejected) for pair in after.siblings] == [(RIGHT, WRONG)]
    assert as_text(after) == as_text(anew(store, options))


@pytest.mark.parametrize(
    ("change", "read"),
    [
        ({"split_seed": 4}, 40),
        ({"max_healthy_per_trace": 1}, 40),
        ({"max_healthy_per_slice": 1}, 0),
        ({"near_duplicate": 0.5}, 0),
        ({"may_models_differ": True}, 0),
    ],
)
def test_settings_that_decide_what_a_trace_yields_let_all_be_read_again_and_no_other_does(
    store: Store, airline: list[Trace], change: dict[str, object], read: int
) -> None:
    come(store, airline[:40])
    read_by(store)
    options = OPTIONS.model_copy(update=change)

    drafted, count = read_by(store, options)

    assert count == read
    assert as_text(drafted) == as_text(anew(store, options))


def test_findings_that_come_after_drafting_let_their_traces_be_read_again(store: Store) -> None:
    failed = trace(user("refund 332"), WRONG, reply("done"), id_="t1", outcome=FAILED_332)
    fine = trace(user("refund 9"), calls("refund_order", order_id=9), reply("ok"), id_="t2")
    come(store, [failed, fine], mined=False)
    before, _ = read_by(store)

    mine(store, now=DAY)
    after, read = read_by(store)

    assert (corrections_kept(before), corrections_kept(after), read) == (set(), {"t1"}, 1)


def test_an_environment_that_failed_is_asked_again_and_nobody_else_is(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = tmp_path / "desk_of_the_team.py"
    desk.write_text("def make():\n    raise OSError('down')\n")
    monkeypatch.syspath_prepend(tmp_path)
    options = CurationOptions(environment="desk_of_the_team:make")
    state = {"orders": {"332": "paid"}, "wanted": {"332": "refunded"}}
    failed = trace(
        user("refund 332"), WRONG, reply("done"), id_="t1", outcome=FAILED_332, environment_state=state
    )  # fmt: skip
    come(store, [failed, trace(user("hi"), says("hello"), id_="t2", outcome={"reward": 1.0})])

    reads = [read_by(store, options)[1] for _ in range(3)]

    assert draft(store, options).refused["the environment failed"] == 1
    assert reads == [2, 1, 1]


def test_another_environment_of_the_team_lets_all_be_read_again(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = tmp_path / "desk_that_changes.py"
    desk.write_text("from tests.curation.refund_desk import RefundDesk\n")
    monkeypatch.syspath_prepend(tmp_path)
    options = CurationOptions(environment="desk_that_changes:RefundDesk")
    come(store, [trace(user("hi"), says("hello"), outcome={"reward": 1.0})])
    reads = [read_by(store, options)[1] for _ in range(2)]

    desk.write_text("from tests.curation.refund_desk import RefundDesk  # and more\n")

    assert (reads, read_by(store, options)[1]) == ([1, 0], 1)


def test_a_session_stands_on_one_side_though_only_a_later_trace_of_it_names_the_user(
    store: Store, tmp_path: Path
) -> None:
    def of_session(id_: str, order: int, **named: object) -> Trace:
        return trace(
            user(f"refund {order}"), calls("refund_order", order_id=order), reply("done"),
            id_=id_, day=0, session_id="s", outcome={"reward": 1.0}, **named,
        )  # fmt: skip

    come(store, [of_session("t1", 1)])
    before, _ = read_by(store)
    come(store, [of_session("t2", 2, user_id="mia-of-the-long-name")])
    after, read = read_by(store)

    assert ({task.group for task in before.tasks}, read) == ({"session s"}, 2)
    assert {task.group for task in after.tasks} == {"user mia-of-the-long-name"}
    assert {task.sources[0].trace_id for task in after.tasks} == {"t1", "t2"}
    assert forget(store, tmp_path, "mia-of-the-long-name", now=DAY).remaining == ()
    assert {task.group for task in read_by(store)[0].tasks} == {"session s"}


def test_a_run_that_is_killed_goes_on_where_it_stopped(store: Store) -> None:
    come(store, [trace(user(f"refund {n}"), says("ok"), id_=f"t{n:04}") for n in range(1200)])

    def die(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        draft(store, OPTIONS, progress=die)

    assert read_by(store)[1] == 700


def test_a_forgotten_user_leaves_nothing_in_what_is_kept(
    store: Store, tmp_path: Path, airline: list[Trace]
) -> None:
    come(store, airline[:60])
    before, _ = read_by(store)
    user_id = next(task.group for task in before.tasks).removeprefix("user ")

    gone = forget(store, tmp_path / "datasets", user_id, now=DAY)
    after, read = read_by(store)

    assert (gone.remaining, read) == ((), 0)
    assert f"user {user_id}" not in {task.group for task in after.tasks}
    assert as_text(after) == as_text(anew(store))
