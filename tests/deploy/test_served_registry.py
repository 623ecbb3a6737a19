"""The registry behind a real MLflow server, which holds the artifacts itself."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.parse import quote
from urllib.request import urlopen

import pytest

from tests.deploy.rounds import NOW, model_folder, registration_of
from tracemill.deploy.registry import Registry


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _wait_until_it_answers(address: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(300):
        assert process.poll() is None, "mlflow server ended by itself"
        try:
            urlopen(f"{address}/health", timeout=2).close()  # noqa: S310 - our own server
            return
        except (URLError, OSError):
            time.sleep(0.3)
    pytest.fail("mlflow server did not answer")


@pytest.fixture
def served(mlflow_folder: Path, tmp_path: Path) -> Iterator[str]:
    port = _free_port()
    command = [
        sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", str(port),
        "--backend-store-uri", f"sqlite:///{mlflow_folder / 'mlflow.db'}", "--workers", "1",
        "--artifacts-destination", str(tmp_path / "served"),
    ]  # fmt: skip
    process = subprocess.Popen(
        command,
        env={**os.environ, "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        _wait_until_it_answers(f"http://127.0.0.1:{port}", process)
        yield f"http://127.0.0.1:{port}"
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=20)


def test_a_candidate_is_registered_verified_and_promoted_through_a_server(
    served: str, tmp_path: Path
) -> None:
    registry = Registry(served, tmp_path / "here", "served-desk")
    base = registry.register_base(model_folder(tmp_path / "base"), now=NOW)
    version = registry.register(registration_of(tmp_path, base.ref), now=NOW)

    move = registry.promote(version.version, by="ada", reason="better", now=NOW)

    champion = registry.champion()
    assert champion is not None
    assert (move.to_version, champion.version) == ("2", "2")
    assert champion.path.is_relative_to(tmp_path / "here")
    assert (champion.path / "model.safetensors").is_file()
    picture = f"{served}/get-artifact?path={quote('report/forest.png', safe='')}"
    with urlopen(f"{picture}&run_uuid={version.run_id}") as answer:  # noqa: S310 - our own server
        assert answer.read().startswith(b"\x89PNG")
    (champion.path / "config.json").write_text("changed on this machine only")
    registry.rollback(by="bob", reason="look again", now=NOW)
    assert registry.promote("2", by="ada", reason="sound", now=NOW, force=True)
    assert (champion.path / "config.json").read_text() == '{"model_type": "tiny"}'
