from datetime import timedelta
from pathlib import Path

from tests.curation.conversations import DAY, calls, reply, trace, user
from tests.curation.kept import keep
from tests.curation.test_draft import drafted
from tracemill.curation.feedback_bursts import FeedbackBurst, find_bursts
from tracemill.curation.options import CurationOptions
from tracemill.ingest.feedback_rows import write_feedback
from tracemill.ingest.store import Store
from tracemill.ingest.trace import Feedback, Trace


def corrected(index: int, user_id: str) -> Trace:
    said = Feedback(
        id=f"f{index}", target=f"t{index}", name="thumbs", score=0.0,
        correction=calls("refund_order", order_id=900 + index),
        created_at=DAY + timedelta(minutes=index),
    )  # fmt: skip
    return trace(
        user(f"refund order {900 + index}"), calls("cancel_order", order_id=900 + index),
        reply("done"), id_=f"t{index}", user_id=user_id, feedback=(said,),
    )  # fmt: skip


def test_a_users_burst_of_corrections_is_capped_and_reported(tmp_path: Path) -> None:
    traces = [corrected(index, "mia") for index in range(6)] + [corrected(9, "tom")]

    found = drafted(tmp_path, *traces, options=CurationOptions(max_feedback_per_user_day=4))

    assert found.bursts == (FeedbackBurst("mia", "2026-03-01", 2),)
    assert found.refused["feedback beyond a user's daily cap"] == 2
    sources = {task.sources[0].trace_id for task in found.tasks if task.is_failure}
    assert sources == {"t0", "t1", "t2", "t3", "t9"}


def test_what_is_said_again_under_one_id_counts_once(tmp_path: Path) -> None:
    with Store(tmp_path / "store.duckdb") as store:
        keep(store, [corrected(1, "mia"), corrected(2, "mia")])
        said = [*corrected(1, "mia").feedback * 3, *corrected(2, "mia").feedback]
        with store.transaction():
            write_feedback(store, said, store.next_change())

        assert find_bursts(store, most_a_day=2).days == ()
        assert find_bursts(store, most_a_day=1).ignored == {"t2": frozenset({"f2"})}
