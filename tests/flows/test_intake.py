"""What cannot be read reaches the topic that the settings name, run by run."""

import subprocess
import sys
from pathlib import Path

import pytest

from tracemill.errors import SourceUnavailableError, StoreLockedError
from tracemill.flows import intake
from tracemill.flows.clock import now
from tracemill.ingest.embedded_broker import free_port, start_broker
from tracemill.ingest.files import FileSource
from tracemill.ingest.run import IngestReport
from tracemill.ingest.topic import KafkaSource, create_topics, publish
from tracemill.settings import Settings, load_settings


def project(folder: Path, address: str) -> Settings:
    path = folder / "tracemill.toml"
    path.write_text(
        f'[kafka]\nbootstrap_servers = "{address}"\n[ingest]\ndead_letter_topic = "agent-dead"\n'
    )
    return load_settings(path)


def test_dead_letters_are_sent_after_each_run_and_those_of_a_run_without_a_broker_later(
    tmp_path: Path,
) -> None:
    (tmp_path / "log.jsonl").write_bytes(b"{broken\n")
    source = FileSource([tmp_path / "log.jsonl"])
    away = project(tmp_path, f"127.0.0.1:{free_port()}")

    with pytest.raises(SourceUnavailableError, match="'agent-dead'"):
        intake.ingest_traces(away, source=source, now=now)

    with start_broker(tmp_path / "broker") as broker:
        settings = project(tmp_path, broker.address)
        report = intake.ingest_traces(settings, source=source, now=now)
        assert (report.records, report.mirrored) == (0, 1)
        assert intake.ingest_traces(settings, source=source, now=now).mirrored == 0
        assert KafkaSource(broker.address, ["agent-dead"]).count() == {"agent-dead": 1}


def test_a_worker_that_runs_on_sends_its_dead_letters(
    tmp_path: Path,
) -> None:
    with start_broker(tmp_path / "broker") as broker:
        create_topics(broker.address, ["agent-traces", "agent-feedback"])
        publish(broker.address, "agent-traces", [b"{broken", b"{broken too"])
        settings = project(tmp_path, broker.address)
        reports: list[IngestReport] = []

        report = intake.follow_topics(
            settings,
            is_done=lambda: bool(reports) and reports[-1].mirrored == 2,
            now=now,
            progress=reports.append,
        )

        assert (report.records, report.dead_letters, report.mirrored) == (2, 2, 2)
        assert KafkaSource(broker.address, ["agent-dead"]).count() == {"agent-dead": 2}


def test_a_worker_waits_for_the_store_until_it_is_told_to_stop(tmp_path: Path) -> None:
    settings = project(tmp_path, f"127.0.0.1:{free_port()}")
    code = (
        "import sys, pathlib; from tracemill.ingest.store import Store\n"
        "with Store(pathlib.Path(sys.argv[1])): print('held', flush=True); sys.stdin.readline()"
    )
    command = [sys.executable, "-c", code, str(settings.store_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()

        with pytest.raises(StoreLockedError):
            intake.follow_topics(settings, is_done=lambda: True, now=now)

        holder.kill()
