from pathlib import Path

import pytest

from tests.curation.conversations import calls, reply, trace, user
from tests.curation.test_kept_drafts import OPTIONS, come, read_by
from tracemill.curation.options import CurationOptions
from tracemill.curation.reach import conversation_key
from tracemill.curation.selection import select
from tracemill.curation.task import Task
from tracemill.ingest.store import Store, unpack_json
from tracemill.ingest.trace import Trace


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store.duckdb")


def test_tasks_far_beyond_a_cap_are_counted_but_not_read(store: Store) -> None:
    asked = [
        trace(user(f"order {n} please"), calls("refund_order", order_id=n), reply("ok"),
              id_=f"t{n}", day=n, outcome={"reward": 1.0})
        for n in range(30)
    ]  # fmt: skip
    come(store, asked)
    options = CurationOptions(heldout_share=0.0001, max_healthy_per_slice=2, near_duplicate=1.0)

    drafted, _ = read_by(store, options)

    assert [task.sources[0].trace_id for task in drafted.tasks] == ["t28", "t29"]
    assert drafted.refused["over the cap of healthy decisions of one kind"] == 28


def test_what_is_set_aside_unread_is_what_selection_would_leave_out(
    store: Store, agentdojo: list[Trace]
) -> None:
    come(store, agentdojo[:300])
    options = OPTIONS.model_copy(update={"max_healthy_per_slice": 100})
    drafted, _ = read_by(store, options)
    bodies = store.execute("SELECT body FROM drafted_tasks")

    all_tasks = [Task.from_json(unpack_json(body)) for (body,) in bodies]
    selected = select(all_tasks, options)

    kept = (*drafted.tasks, *drafted.unreferenced)
    assert tuple(sorted(kept, key=lambda task: task.id)) == selected.tasks
    assert selected.left_out["another task has the same prompt"] > 0
    exact = [repeat for repeat in drafted.repeats if repeat not in selected.repeats]
    assert len(exact) == selected.left_out["another task has the same prompt"]
    prompts = {task.id: conversation_key(task.prompt) for task in all_tasks}
    assert all(prompts[repeat.task_id] == prompts[repeat.of] for repeat in exact)
    assert selected.left_out.items() <= drafted.refused.items()
