from datetime import timedelta
from pathlib import Path

from tests.curation.conversations import DAY, calls, reply, trace, user
from tests.curation.test_draft import drafted
from tracemill.curation.feedback_bursts import FeedbackBurst
from tracemill.curation.options import CurationOptions
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
