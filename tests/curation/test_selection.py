from datetime import timedelta

from tests.curation.conversations import DAY, calls, task, user
from tests.curation.test_near_duplicates import text
from tracemill.curation.options import CurationOptions
from tracemill.curation.selection import select
from tracemill.curation.task import Split, Task, TraceRef

OPTIONS = CurationOptions()


def asking(words: str, name: str, *, split: Split = "train", day: int = 0, group: str = "") -> Task:
    one = task(user(words), reference=calls("refund_order", order_id=332), split=split)
    return one.model_copy(
        update={
            "id": name,
            "sources": (TraceRef(trace_id=name, revision=1),),
            "group": group or name,
            "seen_at": DAY + timedelta(days=day),
        }
    )


def test_what_is_nearly_the_same_as_the_suite_is_left_out_of_training_and_named() -> None:
    held = asking(text(1, 100), "held", split="heldout")
    near = asking(text(1, 100) + " please", "near")
    far = asking(text(2, 100), "far")

    selected = select([near, far, held], OPTIONS)

    assert [task.id for task in selected.tasks] == ["far", "held"]
    assert selected.left_out == {"nearly the same as a task of the suite": 1}
    assert [(repeat.task_id, repeat.of) for repeat in selected.repeats] == [("near", "held")]


def test_near_duplicates_within_a_side_are_thinned() -> None:
    tasks = [asking(f"{text(1, 100)} {end}", end) for end in ("now", "today", "soon")]

    selected = select(tasks, OPTIONS)

    assert len(selected.tasks) == 1
    assert selected.left_out == {"nearly the same as another task": 2}


def test_short_requests_that_differ_in_an_order_number_all_stay() -> None:
    tasks = [asking(f"I want my money back for order {n}", str(n)) for n in range(30)]

    assert len(select(tasks, OPTIONS).tasks) == 30


def test_no_user_gives_more_healthy_decisions_than_the_cap() -> None:
    tasks = [asking(text(n), str(n), day=n, group="mia") for n in range(5)]

    selected = select(tasks, CurationOptions(max_healthy_per_group=2))

    assert [task.id for task in selected.tasks] == ["3", "4"]
    assert selected.left_out == {"over the cap of healthy decisions of one group": 3}


def test_no_tenant_gives_more_tasks_than_its_caps_whoever_its_users_are() -> None:
    sound = [asking(text(n), f"sound-{n}", day=n, group=f"user-{n}") for n in range(5)]
    failing = [
        asking(text(n + 5), f"failing-{n}", day=n, group=f"user-{n}").model_copy(
            update={"failing": calls("cancel_order", order_id=n)}
        )
        for n in range(5)
    ]
    others = [asking(text(n + 10), f"other-{n}", group=f"user-{n}") for n in range(5)]
    tenants = {task.id: "tenant-a" for task in (*sound, *failing)}
    options = CurationOptions(max_healthy_per_tenant=2, max_failures_per_tenant=3)

    selected = select([*sound, *failing, *others], options, tenants=tenants)

    kept = {task.id for task in selected.tasks if not task.id.startswith("other")}
    assert kept == {"sound-3", "sound-4", "failing-2", "failing-3", "failing-4"}
    assert len(selected.tasks) == 10
    assert selected.left_out == {
        "over the cap of healthy decisions of one tenant": 3,
        "over the cap of failures of one tenant": 2,
    }
