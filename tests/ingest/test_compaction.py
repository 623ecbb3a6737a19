"""What was deleted is in no byte of the store's file once it is written anew."""

from pathlib import Path

import pytest

from tests.ingest.conftest import Run
from tests.ingest.samples import chat_record, otlp_record
from tracemill.errors import StoreError
from tracemill.ingest.compaction import compact
from tracemill.ingest.files import FileSource
from tracemill.ingest.store import Store


@pytest.fixture
def filled(store: Store, run: Run, tmp_path: Path) -> Path:
    """A closed store of 40 traces, one of which was deleted."""
    lines = [otlp_record("ab" * 16), *(chat_record(f"chat-{n:04}") for n in range(40))]
    (tmp_path / "log.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    run(FileSource([tmp_path / "log.jsonl"]), close_all=True)
    store.execute("DELETE FROM trace_rows WHERE id = 'chat-0007'")
    store.close()
    return store.path


def everything(path: Path) -> list[list[tuple[object, ...]]]:
    with Store(path) as store:
        tables = store.execute("SELECT table_name FROM duckdb_tables() ORDER BY ALL")
        return [store.execute(f"FROM {table}") for (table,) in tables]


def test_the_rows_are_the_same_in_the_same_order_and_what_was_deleted_is_gone(
    filled: Path,
) -> None:
    before = everything(filled)
    assert b"chat-0007" in filled.read_bytes()

    compact(filled)

    assert b"chat-0007" not in filled.read_bytes()
    assert b"chat-0008" in filled.read_bytes()
    assert everything(filled) == before
    assert [file.name for file in filled.parent.glob("*duckdb*")] == [filled.name]


def test_ingest_goes_on_in_the_new_file_where_it_was_in_the_old_one(filled: Path) -> None:
    with Store(filled) as store:
        ((batches,),) = store.execute("SELECT max(batch) FROM fragments")
    compact(filled)

    with Store(filled) as store:
        ((following,),) = store.execute("SELECT nextval('batches')")
        assert following > batches
        store.execute("INSERT INTO offsets VALUES ('t', 0, 7)")
        with pytest.raises(StoreError, match="Duplicate key"):
            store.execute("INSERT INTO offsets VALUES ('t', 0, 8)")


def test_a_file_that_cannot_be_written_anew_is_left_as_it_was(filled: Path) -> None:
    before = everything(filled)
    beside = filled.parent / f".{filled.name}.compacting"
    beside.mkdir()

    with pytest.raises(StoreError, match="cannot be written anew"):
        compact(filled)

    beside.rmdir()
    assert everything(filled) == before
