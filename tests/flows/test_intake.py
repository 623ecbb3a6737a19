"""What cannot be read reaches the topic that the settings name, run by run."""

from pathlib import Path

import pytest

from tracemill.errors import SourceUnavailableError
from tracemill.flows import intake
from tracemill.flows.clock import now
from tracemill.ingest.embedded_broker import free_port, start_broker
from tracemill.ingest.files import FileSource
from tracemill.ingest.topic import KafkaSource
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
