"""What is too large, too deep or broken stops nothing: it is refused, counted, and passed by."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.ingest.child import CHILD
from tests.ingest.conftest import Run
from tests.ingest.counting import counts
from tests.ingest.samples import chat_record, otlp, span, span_records
from tracemill.ingest.files import FileSource
from tracemill.ingest.store import Store


def test_a_disk_that_is_full_loses_nothing_that_was_committed(tmp_path: Path) -> None:
    lines = [chat_record(f"c{n}", turns=200) for n in range(200)]
    (tmp_path / "logs.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    code = CHILD.replace("KafkaSource(address, [topic])", "FileSource([topic])").replace(
        "from tracemill.ingest.topic import KafkaSource",
        "from tracemill.ingest.files import FileSource",
    )
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
    ignore = "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    arguments = [str(tmp_path / "s.duckdb"), "", str(tmp_path / "logs.jsonl")]

    full = subprocess.run(
        [sys.executable, "-c", ignore + limit + code, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert full.returncode == 1
    assert "StoreError" in full.stderr
    subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True)

    with Store(tmp_path / "s.duckdb") as store:
        assert counts(store) == (200, 200, 200)


def test_a_record_of_a_hundred_megabytes_is_a_dead_letter_and_its_neighbours_live(
    tmp_path: Path, store: Store, run: Run
) -> None:
    huge = b'{"messages": [{"role": "user", "content": "' + b"x" * 100_000_000 + b'"}]}'
    (tmp_path / "logs.jsonl").write_bytes(
        b"\n".join([chat_record("a"), huge, chat_record("b")]) + b"\n"
    )

    report = run(FileSource([tmp_path / "logs.jsonl"]))

    assert (report.traces, report.dead_letters) == (2, 1)
    ((reason, size, kept),) = store.execute(
        "SELECT reason, value_bytes, record_value FROM dead_letters"
    )
    assert "larger than" in reason
    assert (size, kept) == (len(huge), None)


def test_thirty_thousand_spans_of_one_trace_are_cut_and_say_so(
    tmp_path: Path, store: Store, run: Run
) -> None:
    trace_id = "ab" * 16
    agent, chat, tool = span_records(trace_id)
    many = [
        otlp(*(span(trace_id, f"{first + n:016x}", 5, 6, name="work") for n in range(300)))
        for first in range(1, 30_001, 300)
    ]
    (tmp_path / "spans.jsonl").write_bytes(b"\n".join([agent, chat, tool, *many]) + b"\n")

    report = run(FileSource([tmp_path / "spans.jsonl"]), close_all=True)

    (trace,) = store.traces()
    assert report.spans == 30_003
    assert trace.is_truncated
    assert [m.role for m in trace.messages] == ["user", "assistant", "tool"]


@pytest.mark.parametrize(
    ("value", "outcome"),
    [
        (b"[" * 200_000 + b"]" * 200_000, "undecodable"),
        (b'{"messages": ' + b"[" * 200_000 + b"]" * 200_000 + b"}", "undecodable"),
        (b'{"id": "n", "messages": [{"role": "user", "content": "a"}], "reward": NaN}', None),
        (b'{"id": "s", "messages": [{"role": "user", "content": "a\\ud800b"}]}', None),
        (b'{"id": "z", "messages": [{"role": "user", "content": "a\\u0000b"}]}', None),
        (
            b'{"id": "i", "messages": [{"role": "user", "content": "a"}], "x": '
            + b"9" * 5000
            + b"}",
            "undecodable",
        ),
    ],
)
def test_hostile_json_is_read_or_refused_and_never_stops_the_batch(
    tmp_path: Path, store: Store, run: Run, value: bytes, outcome: str | None
) -> None:
    (tmp_path / "logs.jsonl").write_bytes(
        b"\n".join([chat_record("a"), value, chat_record("b")]) + b"\n"
    )

    report = run(FileSource([tmp_path / "logs.jsonl"]))

    assert report.records == 3
    assert report.traces == (2 if outcome else 3)
    letters = store.execute("SELECT reject_class FROM dead_letters")
    assert letters == ([(outcome,)] if outcome else [])
