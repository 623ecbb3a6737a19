"""The ingest flow shows in Prefect's UI what came, as `tracemill ingest` shows it in a terminal."""

from pathlib import Path

from prefect.client.orchestration import get_client
from prefect.client.schemas.sorting import ArtifactSort

from tests.ingest.samples import chat_record
from tracemill.flows.upkeep import ingest
from tracemill.ingest.embedded_broker import start_broker
from tracemill.ingest.topic import create_topics, publish


def latest_artifact(key: str) -> tuple[object, str | None]:
    """Its data, and its description."""
    with get_client(sync_client=True) as client:
        found = client.read_artifacts(sort=ArtifactSort.UPDATED_DESC, limit=200)
    artifact = next(each for each in found if each.key == key)
    return artifact.data, artifact.description


def test_the_ingest_flow_shows_its_progress_and_what_it_came_to(tmp_path: Path) -> None:
    with start_broker(tmp_path / "broker") as broker:
        create_topics(broker.address, ["agent-traces", "agent-feedback"])
        publish(broker.address, "agent-traces", [chat_record("a"), b"{broken"])
        path = tmp_path / "tracemill.toml"
        path.write_text(f'[kafka]\nbootstrap_servers = "{broker.address}"\n')

        report = ingest(str(path))

    assert (report.records, report.traces, report.dead_letters) == (2, 1, 1)
    progress, said = latest_artifact("ingest-progress")
    assert progress == 100
    assert said is not None
    assert said.startswith("2 records, 1 traces, 0 open, 1 dead letters")
    table, _ = latest_artifact("ingest")
    assert "1 undecodable" in str(table)
