from datetime import timedelta
from pathlib import Path

import pytest

from tests.curation.conversations import calls, reply, trace, user
from tests.curation.test_draft import FAILED_332
from tests.curation.test_kept_drafts import anew, as_text, come, read_by
from tracemill.curation.modes import failure_modes
from tracemill.curation.options import CurationOptions
from tracemill.curation.row_building import rows_of
from tracemill.curation.withheld import TOO_OLD, WITHHELD
from tracemill.ingest.store import Store
from tracemill.ingest.trace import Feedback, Trace


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store.duckdb")


def asked(number: int, day: int) -> Trace:
    """A request of a user of its own that was fulfilled, and that somebody liked."""
    name = f"t{number}"
    one = trace(
        user(f"order {number} is to be refunded, please"), calls("refund_order", order_id=number),
        reply("done"), id_=name, day=day, user_id=f"user-{number}", outcome={"reward": 1.0},
    )  # fmt: skip
    liked = Feedback(
        id=f"f{number}", target=name, name="like", score=1.0, created_at=one.started_at
    )
    return one.model_copy(update={"feedback": (liked,)})


def test_the_suite_is_newer_than_any_training_row_where_its_days_are_set(store: Store) -> None:
    come(store, [asked(number, day=number % 10) for number in range(120)])
    options = CurationOptions(heldout_days=3)

    drafted, _ = read_by(store, options)

    sides = {side: [t for t in drafted.tasks if t.split == side] for side in ("train", "heldout")}
    oldest = min(task.seen_at for task in sides["heldout"])
    newest = max(task.seen_at for task in sides["train"])
    assert newest < oldest <= newest + timedelta(days=1)
    trained = {row.sources[0].trace_id for row in rows_of(drafted, options).unpaired}
    assert trained == {task.sources[0].trace_id for task in sides["train"]}
    assert drafted.refused[WITHHELD] > 0 < drafted.refused[TOO_OLD]
    assert as_text(drafted) == as_text(anew(store, options))
    assert read_by(store, CurationOptions())[1] == 0


def test_a_failure_mode_that_is_held_out_shows_in_no_training_row(store: Store) -> None:
    failed = [
        trace(user(f"refund 332, case {n}"), calls("cancel_order", order_id=332), reply("done"),
              id_=f"bad{n}", user_id=f"u{n}", outcome=FAILED_332)
        for n in range(20)
    ]  # fmt: skip
    come(store, [*failed, *[asked(number, day=0) for number in range(20)]])
    mode = next(one.id for one in failure_modes(store) if one.detector == "unexpected call")

    before, _ = read_by(store, CurationOptions())
    after, _ = read_by(store, CurationOptions(heldout_modes=(mode,)))

    def failing(split: str) -> list[set[str]]:
        return [
            {task.id for task in drafted.tasks if task.is_failure and task.split == split}
            for drafted in (before, after)
        ]

    assert [len(tasks) > 0 for tasks in failing("train")] == [True, False]
    assert failing("heldout")[0] == failing("heldout")[1] != set()
