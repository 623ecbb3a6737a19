from pathlib import Path

import pytest

from tests.curation.conversations import DAY, DESK, calls, reply, says, trace, user
from tests.curation.kept import give_feedback, keep
from tracemill.curation.draft import Draft, draft
from tracemill.curation.mine import mine
from tracemill.curation.options import CurationOptions
from tracemill.curation.proof import reward_of
from tracemill.curation.task import AnswerCheck, EnvironmentCheck, Task
from tracemill.ingest.store import Store
from tracemill.ingest.trace import Feedback, Message, Trace

OPTIONS = CurationOptions()
DONE = reply("done")
WANT_332 = {"expected_calls": [{"name": "refund_order", "arguments": {"order_id": 332}}]}
FAILED_332 = {**WANT_332, "reward": 0.0}


def corrected(one: Trace, correction: Message, *, step: int | None = None) -> Trace:
    said = Feedback(
        id=f"f-{one.id}", target=one.id, name="thumbs", score=0.0, correction=correction, step=step,
        created_at=DAY,
    )  # fmt: skip
    return one.model_copy(update={"feedback": (said,)})


def drafted(tmp_path: Path, *traces: Trace, options: CurationOptions = OPTIONS) -> Draft:
    with Store(tmp_path / "store.duckdb") as store:
        keep(store, traces)
        give_feedback(store, traces)
        mine(store, now=DAY)
        return draft(store, options)


def failures(found: Draft) -> list[Task]:
    return [task for task in found.tasks if task.is_failure]


def test_every_task_of_the_airline_runs_accepts_its_reference_and_rejects_what_failed(
    tmp_path: Path, airline: list[Trace]
) -> None:
    found = drafted(tmp_path, *airline)

    assert len(failures(found)) >= 20
    assert len(found.tasks) > len(failures(found))
    for task in found.tasks:
        assert reward_of(task, task.reference) == 1.0
        assert task.failing is None or reward_of(task, task.failing) < 1.0


def test_no_user_of_the_airline_runs_stands_on_both_sides(
    tmp_path: Path, airline: list[Trace]
) -> None:
    found = drafted(tmp_path, *airline)

    sides = {(task.group, task.split) for task in found.tasks}

    assert len(sides) == len({group for group, _ in sides})
    assert {side for _, side in sides} == {"train", "heldout"}


def test_traces_that_met_an_injected_503_yield_nothing(
    tmp_path: Path, resilience: list[Trace]
) -> None:
    runs = resilience
    spoiled = {run.id for run in runs if any("503 Serv" in (m.content or "") for m in run.messages)}

    found = drafted(tmp_path, *runs)

    assert len(spoiled) == found.refused["the trace met an outage"] == 67
    assert not spoiled & {source.trace_id for task in found.tasks for source in task.sources}


def test_a_correction_becomes_a_task_cut_at_the_step_it_names(tmp_path: Path) -> None:
    wrong = calls("cancel_order", order_id=332)
    one = trace(user("refund 332"), wrong, DONE, says("cancelled"))

    task = failures(drafted(tmp_path, corrected(one, calls("refund_order", order_id=332), step=1)))[
        0
    ]

    assert (task.prompt, task.failing, task.reference_origin) == (
        one.messages[:1],
        wrong,
        "correction",
    )
    assert (task.slice, task.group) == ("refund_order", "trace t1")
    assert task.failure_mode is not None


def test_an_expected_call_is_the_reference_of_the_call_that_left_it(tmp_path: Path) -> None:
    one = trace(user("refund 332"), calls("refund_order", order_id=331), DONE, outcome=FAILED_332)

    task = failures(drafted(tmp_path, one))[0]

    assert task.reference.tool_calls[0].parsed() == {"order_id": 332}
    assert task.reference_origin == "expectation"


def test_a_recovery_is_the_reference_of_the_call_that_was_refused(tmp_path: Path) -> None:
    one = trace(
        user("refund 332"), calls("refund_order", order_id=33), reply("Error: order 33 not found"),
        calls("refund_order", order_id=332), DONE, says("done"), outcome={"reward": 1.0},
    )  # fmt: skip

    found = drafted(tmp_path, one)

    assert [(task.reference_origin, len(task.prompt)) for task in failures(found)] == [
        ("recovery", 1)
    ]
    assert all(task.reference.tool_calls != one.messages[1].tool_calls for task in found.tasks)


def test_the_environments_verdict_is_the_check_where_the_reference_fulfils_the_request(
    tmp_path: Path,
) -> None:
    one = trace(
        user("refund 332"), calls("cancel_order", order_id=332), DONE, outcome=FAILED_332,
        environment_state={"refund": 332},
    )  # fmt: skip

    task = failures(drafted(tmp_path, one, options=CurationOptions(environment=DESK)))[0]

    assert task.environment is not None
    assert EnvironmentCheck() in task.checks
    assert reward_of(task, calls("refund_order", order_id=332, id_="another")) == 1.0


@pytest.mark.parametrize(
    ("one", "reason"),
    [
        (
            trace(user("refund 332"), calls("refund_order", order_id=1), DONE, outcome={"reward": 0.0}),
            "nothing shows what would have been right",
        ),
        (
            trace(user("refund it"), calls("refund_order", order_id=1), DONE, outcome=FAILED_332),
            "the reference holds a value that the conversation had not shown",
        ),
        (
            trace(
                user("332, 333"), calls("refund_order", order_id=1), DONE,
                outcome={"reward": 0.0, "expected_calls": [
                    {"name": "refund_order", "arguments": {"order_id": n}} for n in (332, 333)
                ]},
            ),
            "several expected calls could be meant",
        ),
        (
            corrected(
                trace(user("332"), calls("refund_order", order_id=332), DONE),
                calls("refund_order", order_id=332, id_="c2"),
            ),
            "the checks accept the failing step",
        ),
        (
            corrected(
                trace(user("332"), calls("refund_order", order_id=1), DONE),
                calls("refund_order", order_id="all"),
            ),
            "the checks reject the reference",
        ),
        (
            corrected(
                trace(user("332"), calls("refund_order", order_id=1), DONE, says("a"), user("b"), says("c")),
                says("sorry"),
            ).model_copy(update={"messages": (user("x"), says("a"), user("b"), says("c"))}),
            "a correction does not say which step it means",
        ),
        (
            corrected(trace(user("how are you"), says("bad")), says("well")),
            "a correction in words leaves nothing to check",
        ),
        (
            corrected(
                trace(
                    user("332"), calls("refund_order", '{"order'),
                    steps=({"message": 1, "finish_reason": "length"},),
                ),
                calls("refund_order", order_id=332),
            ),
            "the step was cut at the token limit",
        ),
        (
            trace(user("332"), calls("refund_order", order_id=1), is_complete=False, outcome=FAILED_332),
            "the trace is not complete",
        ),
        (
            trace(
                user("332"), calls("refund_order", order_id=1), DONE, outcome=FAILED_332,
                environment_state={"is_down": True},
            ),
            "the environment failed",
        ),
        (
            trace(user("hi"), says("hi"), steps=({"message": 1, "error": "500"},), outcome=FAILED_332),
            "the trace met an outage",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_trusted_is_refused_and_counted(
    tmp_path: Path, one: Trace, reason: str
) -> None:
    found = drafted(tmp_path, one, options=CurationOptions(environment=DESK))

    assert failures(found) == []
    assert found.refused[reason] == 1


def test_healthy_calls_and_answers_of_passing_traces_become_replay(tmp_path: Path) -> None:
    messages = (user("refund 332"), calls("refund_order", order_id=332), DONE, says("Refunded."))
    passed = trace(*messages, id_="a", outcome={"reward": 1.0})
    unjudged = trace(*messages, id_="b")

    found = drafted(tmp_path, passed, unjudged)

    assert {task.slice for task in found.tasks} == {"refund_order", "answer"}
    assert {task.sources[0].trace_id for task in found.tasks} == {"a"}
    assert any(task.checks == (AnswerCheck(contains=""),) for task in found.tasks)


def test_one_prompt_gives_one_task_and_a_mended_failure_goes_first(tmp_path: Path) -> None:
    right = trace(
        user("Refund  332"),
        calls("refund_order", order_id=332),
        DONE,
        outcome={"reward": 1.0},
        id_="a",
    )
    wrong = trace(
        user("refund 332"), calls("refund_order", order_id=1), DONE, outcome=FAILED_332, id_="b"
    )

    found = drafted(tmp_path, right, wrong)

    assert [task.sources[0].trace_id for task in found.tasks] == ["b"]
    assert found.refused["another task has the same prompt"] == 1


def test_caps_are_kept_and_counted(tmp_path: Path) -> None:
    def passing(order: int) -> Trace:
        call = calls("refund_order", order_id=order)
        return trace(
            user(f"refund {order}"), call, DONE, id_=f"t{order}", day=order, user_id="mia",
            outcome={"reward": 1.0},
        )  # fmt: skip

    found = drafted(
        tmp_path, *map(passing, range(5)), options=CurationOptions(max_healthy_per_slice=2)
    )

    assert sorted(task.sources[0].trace_id for task in found.tasks) == ["t3", "t4"]
    assert found.refused == {"over the cap of healthy decisions of one kind": 3}


def test_a_tenant_of_many_users_does_not_drown_the_others_and_what_is_left_out_is_counted(
    tmp_path: Path, airline: list[Trace]
) -> None:
    big = [one.model_copy(update={"tenant_id": "tenant-big"}) for one in airline[:100]]
    small = [one.model_copy(update={"tenant_id": "tenant-small"}) for one in airline[100:120]]
    caps = CurationOptions(max_failures_per_tenant=1, max_healthy_per_tenant=3)

    without = drafted(tmp_path / "a", *big, *small)
    found = drafted(tmp_path / "b", *big, *small, options=caps)

    ids = {trace.id for trace in big}
    of_big = [task for task in found.tasks if task.sources[0].trace_id in ids]
    assert len(of_big) <= 2 * (1 + 3)  # on both sides of the split
    left_out = [why for why in found.refused if "of one tenant" in why]
    assert len(left_out) == 2
    assert sum(found.refused[why] for why in left_out) >= len(without.tasks) - len(found.tasks) > 0
