"""The store keeps what was committed, and says clearly what it refuses."""

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tracemill.errors import StoreBusyError, StoreError, StoreLockedError
from tracemill.ingest.store import Store, pack_trace
from tracemill.ingest.trace import Feedback, Message, ModelRef, Trace

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
TRACE_COLUMNS = (
    "id", "revision", "changed_at", "started_at", "model_name", "dialect", "content_hash",
    "aliases", "body",
)  # fmt: skip


def a_trace(trace_id: str) -> Trace:
    return Trace(
        id=trace_id,
        model=ModelRef(name="m"),
        messages=(Message(role="user", content="Where is A17?"),),
        started_at=NOON,
        dialect="test",
    )


def put(store: Store, *trace_ids: str) -> int:
    with store.transaction():
        change = store.next_change()
        rows: list[tuple[object, ...]] = [
            (i, 1, change, NOON, "m", "test", "h", [], pack_trace(a_trace(i))) for i in trace_ids
        ]
        store.upsert("trace_rows", TRACE_COLUMNS, rows)
    return change


def test_traces_come_back_in_order_of_ingestion_and_only_those_changed_since(
    tmp_path: Path,
) -> None:
    with Store(tmp_path / "new" / "s.duckdb") as store:
        put(store, "b", "c")
        change = store.last_change()
        put(store, "a")

        assert [trace.id for trace in store.traces()] == ["b", "c", "a"]
        assert [trace.id for trace in store.traces(changed_since=change)] == ["a"]
        assert store.last_change() == change + 1


def test_a_trace_written_again_is_read_once(tmp_path: Path) -> None:
    with Store(tmp_path / "s.duckdb") as store:
        put(store, *(f"t{i}" for i in range(450)))
        change = put(store, "t7")

        assert len(list(store.traces())) == 450
        assert [trace.id for trace in store.traces(changed_since=change - 1)] == ["t7"]
        assert store.trace("t7") == a_trace("t7")
        assert store.trace("none") is None


def test_a_store_made_when_traces_were_a_table_keeps_them(tmp_path: Path) -> None:
    with Store(tmp_path / "s.duckdb") as store:
        put(store, "t")
        store.execute("DROP VIEW traces")
        store.execute("ALTER TABLE trace_rows RENAME TO traces")
        store.execute("CREATE TABLE ready_traces AS SELECT 1 AS batch, * FROM traces")

    with Store(tmp_path / "s.duckdb") as store:
        put(store, "u")

        assert [trace.id for trace in store.traces()] == ["t", "u"]
        assert store.execute(
            "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'ready_traces'"
        ) == [(0,)]


def test_feedback_is_joined_the_last_saying_counts_and_a_retracted_one_is_gone(
    tmp_path: Path,
) -> None:
    columns = ("id", "target", "trace_id", "arrival", "created_at", "retracted", "body")
    sayings = [("f1", 0.0, False), ("f1", 1.0, False), ("f2", 0.0, False), ("f2", 0.0, True)]
    with Store(tmp_path / "s.duckdb") as store:
        put(store, "t")
        rows: list[tuple[object, ...]] = []
        for arrival, (name, score, retracted) in enumerate(sayings):
            said = Feedback(id=name, target="t", name="thumb", score=score, created_at=NOON)
            rows.append((name, "t", "t", arrival, NOON, retracted, said.to_json()))
        store.append("feedback", columns, rows)

        trace = store.trace("t")

    assert trace is not None
    assert [(said.id, said.score) for said in trace.feedback] == [("f1", 1.0)]


def test_nothing_of_a_failed_transaction_stays(tmp_path: Path) -> None:
    with Store(tmp_path / "s.duckdb") as store:
        with pytest.raises(StoreError), store.transaction():
            store.append("changes", ["last_change"], [(7,), ("no number",)])

        assert store.execute("SELECT last_change FROM changes") == [(0,)]


@pytest.mark.parametrize("is_first", [True, False])
def test_who_writes_a_key_that_another_worker_has_just_written_is_told_to_try_again(
    tmp_path: Path, *, is_first: bool
) -> None:
    def write(store: Store) -> None:
        store.execute("INSERT INTO open_traces VALUES ('a', 'topic', 1, 1, true, 2, 1, 1)")

    def meet(mine: Store, theirs: Store) -> None:
        with mine.transaction():
            mine.execute("SELECT count(*) FROM open_traces")  # it sees what is there by now
            if is_first:
                write(mine)
            with theirs.transaction():
                write(theirs)
            if not is_first:
                write(mine)

    with Store(tmp_path / "s.duckdb") as mine, Store(tmp_path / "s.duckdb") as theirs:
        with pytest.raises(StoreBusyError, match="Another worker wrote the same rows"):
            meet(mine, theirs)

        assert mine.execute("SELECT count(*) FROM open_traces") == [(1,)]


def test_who_changes_a_row_of_anothers_open_transaction_is_told_to_try_again(
    tmp_path: Path,
) -> None:
    with Store(tmp_path / "s.duckdb") as mine, Store(tmp_path / "s.duckdb") as theirs:
        with theirs.transaction():
            theirs.next_change()
            with pytest.raises(StoreBusyError, match="Another worker wrote the same rows"):
                mine.next_change()  # in no transaction of its own

        assert mine.last_change() == 1


def test_transactions_do_not_nest_and_bad_sql_is_a_store_error(tmp_path: Path) -> None:
    with Store(tmp_path / "s.duckdb") as store:
        with store.transaction(), pytest.raises(StoreError, match="do not nest"):
            store.transaction().__enter__()
        with pytest.raises(StoreError, match="refused"):
            store.execute("SELECT nothing FROM nowhere")


def test_a_file_that_another_process_holds_is_refused_with_its_path_and_pid(tmp_path: Path) -> None:
    path = tmp_path / "s.duckdb"
    code = f"import duckdb, sys; c = duckdb.connect({str(path)!r}); print(1, flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()

        with pytest.raises(StoreLockedError, match=rf"s\.duckdb.*PID {holder.pid}"):
            Store(path)

        holder.terminate()


def test_a_store_that_is_renewed_lets_a_process_that_waits_have_its_turn(tmp_path: Path) -> None:
    path = tmp_path / "s.duckdb"
    turn = (
        "import sys; from pathlib import Path; from tracemill.ingest.store import Store\n"
        "print('waits', flush=True)\n"
        "with Store(Path(sys.argv[1]), wait_seconds=30) as store:\n"
        "    store.execute('CREATE TABLE theirs AS SELECT 1')"
    )
    command = [sys.executable, "-c", turn, str(path)]
    with Store(path) as store, subprocess.Popen(command, stdout=subprocess.PIPE) as other:
        put(store, "a")
        assert other.stdout is not None
        other.stdout.readline()
        while other.poll() is None:
            store.renew()

        assert other.returncode == 0
        assert store.execute("SELECT * FROM theirs") == [(1,)]
        assert [trace.id for trace in store.traces()] == ["a"]


def test_a_file_that_is_no_store_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.duckdb"
    path.write_bytes(b"no database" * 1000)

    with pytest.raises(StoreError, match=r"s\.duckdb.*cannot be opened"):
        Store(path)
