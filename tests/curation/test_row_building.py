from tests.curation.conversations import at_the_desk, calls, says, task, user
from tracemill.curation.options import CurationOptions
from tracemill.curation.row_building import make_rows
from tracemill.curation.task import Task
from tracemill.ingest.trace import Message

RIGHT = calls("refund_order", order_id=332)
OPTIONS = CurationOptions()


def mended(failing: Message, **fields: object) -> Task:
    healthy = task(user("refund 332"), reference=RIGHT, reference_origin="correction")
    return healthy.model_copy(update={"failing": failing, **fields})


def test_a_mended_failure_gives_an_example_and_a_pair_over_one_prefix() -> None:
    rows = make_rows([mended(calls("cancel_order", order_id=332))], OPTIONS)

    example, pair = rows.examples[0], rows.pairs[0]
    assert (example.completion, example.is_replay) == (RIGHT, False)
    assert (pair.prompt, pair.chosen) == (example.prompt, RIGHT)
    assert (pair.proof.chosen_reward, pair.proof.rejected_reward) == (1.0, 0.0)


def test_a_healthy_decision_gives_replay_and_no_pair() -> None:
    rows = make_rows([task(user("refund 332"), reference=RIGHT)], OPTIONS)

    assert (rows.examples[0].is_replay, rows.pairs) == (True, ())


def test_the_suites_tasks_give_no_row() -> None:
    rows = make_rows([mended(says("no"), split="heldout")], OPTIONS)

    assert (rows.examples, rows.pairs) == ((), ())


def test_pairs_that_teach_nothing_or_the_wrong_thing_are_refused_and_counted() -> None:
    spoken = calls("refund_order", order_id=1).model_copy(update={"content": "Sure!"})
    tasks = [
        mended(calls("refund_order", order_id=332, id_="c9")),
        mended(calls("refund_order", order_id="332")),
        mended(spoken),
        mended(says("no"), environment=at_the_desk({"is_down": True})),
    ]

    rows = make_rows(tasks, OPTIONS)

    assert (len(rows.examples), rows.pairs) == (4, ())
    assert rows.refused == {
        "both sides say the same": 1,
        "the checks do not tell the sides apart": 1,
        "the environment failed": 1,
        "the sides differ in form: one speaks before it calls": 1,
    }
    assert len(make_rows([mended(spoken)], CurationOptions(needs_equal_form=False)).pairs) == 1
