import json
import random
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from tests.curation.conversations import DAY, calls, task, user
from tests.curation.kept import keep
from tests.curation.test_near_duplicates import text
from tracemill.curation.dataset import Dataset, freeze, load_dataset
from tracemill.curation.draft import Draft, draft
from tracemill.curation.mine import mine
from tracemill.curation.options import CurationOptions
from tracemill.curation.row_building import make_rows
from tracemill.errors import ContaminationError, StoreError
from tracemill.ingest.store import Store
from tracemill.ingest.trace import SourceRange, Trace
from tracemill.record import content_id

OPTIONS = CurationOptions()
ROOT = Path(__file__).resolve().parents[2]


def frozen(folder: Path, *tasks_: object, now: timedelta = timedelta()) -> Dataset:
    drafted = Draft(
        tasks=tuple(tasks_),  # type: ignore[arg-type]
        refused={"no reason": 1},
        traces=2,
        sources=(SourceRange(topic="t", partition=0, first_offset=0, last_offset=1),),
        detectors={"tool error": 1},
    )
    rows = make_rows(drafted.tasks, OPTIONS)
    return freeze(drafted, rows, folder=folder, options=OPTIONS, now=DAY + now)


def night(folder: Path, traces: list[Trace]) -> Dataset:
    with Store(folder / "store.duckdb") as store:
        for first in range(0, len(traces), 50):
            keep(store, traces[first : first + 50])
        mine(store, now=DAY)
        drafted = draft(store, OPTIONS)
    rows = make_rows(drafted.tasks, OPTIONS)
    return freeze(drafted, rows, folder=folder / "datasets", options=OPTIONS, now=DAY)


TRAIN = task(user("refund 332"), reference=calls("refund_order", order_id=332),
             reference_origin="correction", failing=calls("cancel_order", order_id=332))  # fmt: skip
HELD = task(user("refund 9"), reference=calls("refund_order", order_id=9), id="task-2", split="heldout",
            group="u2", sources=({"trace_id": "t2", "revision": 1},))  # fmt: skip


def test_a_frozen_dataset_is_read_back_as_it_was(tmp_path: Path) -> None:
    made = frozen(tmp_path, TRAIN, HELD)

    assert load_dataset(made.path) == made
    assert (made.tasks, made.suite_tasks) == ((TRAIN,), (HELD,))
    assert made.manifest.counts == {
        "tasks": 1,
        "examples": 1,
        "pairs": 1,
        "unpaired": 0,
        "suite": 1,
    }
    assert made.manifest.refused == {"no reason": 1}


def test_tool_arguments_come_back_without_the_keys_of_other_calls(tmp_path: Path) -> None:
    other = task(user("hi"), reference=calls("book", {"seat": "A", "meal": None}), id="task-3")

    tasks = load_dataset(frozen(tmp_path, TRAIN, other).path).tasks

    assert [one.checks for one in tasks] == [TRAIN.checks, other.checks]


def files(made: Dataset) -> dict[str, bytes]:
    return {
        file.name: file.read_bytes() for file in made.path.iterdir() if file.name != "frozen_at.txt"
    }


def test_the_airline_runs_in_another_order_and_another_process_give_the_same_bytes(
    tmp_path: Path, airline: list[Trace]
) -> None:
    made = night(tmp_path / "a", airline[:100])
    shuffled = tmp_path / "traces.jsonl"
    shuffled.write_text("\n".join(t.to_json() for t in random.Random(7).sample(airline[:100], 100)))
    script = (
        "import sys; from pathlib import Path; from tests.curation.test_dataset import *;"
        "traces = [Trace.from_json(line) for line in Path(sys.argv[1]).open()];"
        "print(night(Path(sys.argv[2]), traces).path)"
    )
    argv = [sys.executable, "-c", script, str(shuffled), str(tmp_path / "b")]

    done = subprocess.run(argv, capture_output=True, text=True, check=True, cwd=ROOT)

    assert made.manifest.counts["examples"] > 40
    assert files(load_dataset(Path(done.stdout.strip()))) == files(made)


def test_freezing_the_same_again_gives_the_dataset_that_is_there(tmp_path: Path) -> None:
    first = frozen(tmp_path, TRAIN, HELD)

    assert frozen(tmp_path, HELD, TRAIN, now=timedelta(days=1)) == first
    assert [path.name for path in tmp_path.iterdir()] == [first.id]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"prompt": (user("REFUND   332"),)}, "asks what it asks"),
        ({"group": "u1"}, "comes from the same 'u1'"),
        ({"sources": TRAIN.sources}, "comes from its trace 't1'"),
    ],
)
def test_a_training_row_within_reach_of_the_suite_stops_the_build_and_is_named(
    tmp_path: Path, change: dict[str, object], why: str
) -> None:
    with pytest.raises(ContaminationError, match=why) as caught:
        frozen(tmp_path, TRAIN, HELD.model_copy(update=change))

    assert make_rows([TRAIN], OPTIONS).examples[0].id in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_training_row_that_nearly_repeats_the_suite_stops_the_build_and_is_named(
    tmp_path: Path,
) -> None:
    long = text(1, 100)
    trained = TRAIN.model_copy(update={"prompt": (user(long),)})
    held = HELD.model_copy(update={"prompt": (user(f"{long} please"),)})

    with pytest.raises(ContaminationError, match="% the same as it") as caught:
        frozen(tmp_path, trained, held)

    assert make_rows([trained], OPTIONS).examples[0].id in str(caught.value)


def test_a_dataset_that_was_changed_or_is_none_is_refused(tmp_path: Path) -> None:
    made = frozen(tmp_path, TRAIN, HELD)
    manifest = made.path / "manifest.json"

    manifest.write_text(manifest.read_text().replace('"traces": 2', '"traces": 3'))

    with pytest.raises(StoreError, match="was changed after it was frozen"):
        load_dataset(made.path)
    with pytest.raises(StoreError, match="no dataset can be read"):
        load_dataset(tmp_path)


def test_a_dataset_of_a_version_that_knew_fewer_settings_is_still_read(tmp_path: Path) -> None:
    made = frozen(tmp_path, TRAIN, HELD)
    manifest = json.loads((made.path / "manifest.json").read_text())
    del manifest["options"]["max_failures_per_tenant"]
    kinds = (made.tasks, made.examples, made.pairs, made.unpaired, made.suite_tasks)
    rows = [[row.model_dump(mode="json") for row in some] for some in kinds]
    manifest["id"] = content_id("dataset", [{**manifest, "id": ""}, rows])
    (made.path / "manifest.json").write_text(json.dumps(manifest))

    read = load_dataset(made.path)

    assert (read.id, read.manifest.options) == (manifest["id"], OPTIONS)
    assert read.tasks == made.tasks
