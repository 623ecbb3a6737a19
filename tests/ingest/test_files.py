"""Files are a source with a ledger: each record once, whatever the file's form."""

import gzip
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest
import zstandard

from tests.ingest.conftest import Run
from tests.ingest.samples import chat_record
from tracemill.errors import SourceUnavailableError
from tracemill.ingest.files import FileSource
from tracemill.ingest.store import Store

RECORDS = [chat_record(f"c{number}") for number in range(3)]
LINES = b"\n".join(RECORDS) + b"\n"
LIST = orjson.dumps([orjson.loads(record) for record in RECORDS])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("logs.jsonl", LINES),
        ("logs.json", LIST),
        ("pretty.json", orjson.dumps(orjson.loads(LIST), option=orjson.OPT_INDENT_2)),
        ("logs.jsonl.gz", gzip.compress(LINES)),
        ("logs.json.zst", zstandard.compress(LIST)),
        ("gaps.jsonl", LINES.replace(b"\n", b"\n\n")),
    ],
)
def test_every_form_of_file_gives_its_records_once(
    tmp_path: Path, run: Run, store: Store, name: str, content: bytes
) -> None:
    (tmp_path / name).write_bytes(content)

    first, second = run(FileSource([tmp_path / name])), run(FileSource([tmp_path]))

    assert (first.records, first.traces, second.records) == (3, 3, 0)
    assert {trace.id for trace in store.traces()} == {"c0", "c1", "c2"}


def test_a_file_that_grew_is_read_on_and_a_rotated_one_from_its_start(
    tmp_path: Path, run: Run, store: Store
) -> None:
    file = tmp_path / "logs.jsonl"
    file.write_bytes(LINES)
    run(FileSource([file]))
    file.write_bytes(LINES + chat_record("c3") + b"\n")
    grown = run(FileSource([file]))
    file.write_bytes(chat_record("d0") + b"\n")
    rotated = run(FileSource([file]))

    assert (grown.records, rotated.records) == (1, 1)
    assert sorted(trace.id for trace in store.traces()) == ["c0", "c1", "c2", "c3", "d0"]


def test_a_last_line_that_is_still_being_written_is_left_for_the_next_run(
    tmp_path: Path, run: Run, store: Store
) -> None:
    file = tmp_path / "logs.jsonl"
    file.write_bytes(LINES + chat_record("c3")[:20])
    torn = run(FileSource([file]))
    file.write_bytes(LINES + chat_record("c3") + b"\n")
    whole = run(FileSource([file]))

    assert (torn.records, torn.dead_letters) == (3, 0)
    assert (whole.records, whole.traces) == (1, 1)


def test_a_list_of_messages_is_one_conversation(tmp_path: Path, run: Run, store: Store) -> None:
    talk = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    (tmp_path / "talk.json").write_bytes(orjson.dumps(talk))

    assert run(FileSource([tmp_path / "talk.json"])).traces == 1
    (trace,) = store.traces()
    assert [message.content for message in trace.messages] == ["Hi", "Hello"]


def test_globs_and_folders_name_files_each_once(tmp_path: Path, run: Run) -> None:
    for number, record in enumerate(RECORDS):
        (tmp_path / f"part{number}.jsonl").write_bytes(record + b"\n")
    (tmp_path / "notes.txt").write_text("no traces")

    report = run(FileSource([str(tmp_path / "part*.jsonl"), tmp_path]))

    assert report.records == 3


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda file: None, "No file with traces"),
        (lambda file: file.write_bytes(gzip.compress(LINES)[:-20]), "cannot be read"),
        (lambda file: file.write_bytes(b"\x28\xb5\x2f\xfdnonsense"), "cannot be read"),
    ],
)
def test_a_file_that_is_missing_or_broken_is_refused_by_name(
    tmp_path: Path, run: Run, make: Callable[[Path], object], reason: str
) -> None:
    file = tmp_path / "logs.jsonl.gz"
    make(file)

    with pytest.raises(SourceUnavailableError, match=rf"{reason}|logs\.jsonl\.gz") as refused:
        run(FileSource([file]))

    assert "logs.jsonl.gz" in str(refused.value)


def test_a_file_of_another_encoding_is_one_record(tmp_path: Path, run: Run) -> None:
    (tmp_path / "spans.pb").write_bytes(b"\x0a\xff\xff\xff")

    report = run(FileSource([tmp_path / "spans.pb"]))

    assert (report.records, report.dead_letters) == (1, 1)
