from tests.curation.conversations import DAY, calls, reply, says, trace, user
from tracemill.curation.detectors.reading import Reading
from tracemill.curation.options import CurationOptions
from tracemill.curation.rows import Unpaired
from tracemill.curation.thumbs import thumbs_of
from tracemill.curation.trace_draft import draft_trace
from tracemill.ingest.trace import Feedback, Message

CALL = calls("refund_order", order_id=332)
MESSAGES = (user("refund 332"), CALL, reply("done"), says("Refunded."))


def rows(
    *messages: Message, mended: frozenset[int] = frozenset(), **said: object
) -> tuple[Unpaired, ...]:
    given = {"id": "f", "target": "t1", "name": "thumbs", "created_at": DAY, **said}
    one = trace(*messages, feedback=(Feedback.model_validate(given),))
    return thumbs_of(Reading(one), mended=mended)


def test_a_thumb_speaks_of_the_only_step_that_made_calls() -> None:
    row = rows(*MESSAGES, score=0.0)[0]

    assert (row.prompt, row.completion, row.is_good) == (MESSAGES[:1], CALL, False)
    assert (row.slice, row.feedback_id) == ("refund_order", "f")


def test_a_thumb_speaks_of_the_step_that_it_names() -> None:
    assert rows(*MESSAGES, score=1.0, step=3)[0].completion == MESSAGES[3]
    assert rows(*MESSAGES, score=1.0, step=2) == ()


def test_what_a_task_mends_and_what_says_nothing_gives_no_row() -> None:
    assert rows(*MESSAGES, score=0.0, mended=frozenset({1})) == ()
    assert rows(*MESSAGES, score=0.5) == ()
    assert rows(*MESSAGES, label="hm") == ()


def test_the_suites_side_gives_no_row() -> None:
    said = Feedback(id="f", target="t1", name="thumbs", score=1.0, created_at=DAY)
    one = trace(*MESSAGES, feedback=(said,))

    sides = [
        draft_trace(one, (), CurationOptions(heldout_share=share), {}).thumbs
        for share in (0.0001, 0.9999)
    ]

    assert [len(side) for side in sides] == [1, 0]
