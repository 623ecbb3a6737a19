"""The deployments of prefect.yaml, on a real server with a real worker."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.flows.tiny_company import write_settings

ROOT = Path(__file__).resolve().parent.parent.parent
PREFECT = (sys.executable, "-m", "prefect")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of a running server and worker, with the deployments deployed."""
    port = free_port()
    home = tmp_path_factory.mktemp("prefect-server")
    env = {
        **os.environ,
        "PREFECT_HOME": str(home),
        "PREFECT_API_URL": f"http://127.0.0.1:{port}/api",
        "PREFECT_LOGGING_LEVEL": "INFO",
    }
    server = start(env, "server", "start", "--host", "127.0.0.1", "--port", str(port), log=home)
    try:
        wait_for(f"http://127.0.0.1:{port}/api/health")
        prefect(env, "work-pool", "create", "tracemill", "--type", "process")
        prefect(env, "--no-prompt", "deploy", "--all")
        worker = start(env, "worker", "start", "--pool", "tracemill", log=home)
        yield env
        stop(worker)
    finally:
        stop(server)


def prefect(env: dict[str, str], *arguments: str) -> str:
    run = subprocess.run(
        [*PREFECT, *arguments], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def start(env: dict[str, str], *arguments: str, log: Path) -> "subprocess.Popen[bytes]":
    with (log / f"{arguments[0]}.log").open("wb") as output:
        return subprocess.Popen(
            [*PREFECT, *arguments], cwd=ROOT, env=env, stdout=output, stderr=output
        )


def stop(process: "subprocess.Popen[bytes]") -> None:
    process.send_signal(signal.SIGINT)
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def wait_for(address: str, *, seconds: float = 90) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(address, timeout=5):  # noqa: S310 - our own server
                return
        except OSError:
            time.sleep(0.3)
    pytest.fail(f"no answer at {address} after {seconds} s")


def test_on_demand_runs_a_night_when_asked(
    environment: dict[str, str], busy_broker: str, tmp_path: Path
) -> None:
    write_settings(tmp_path, busy_broker, name="asked-desk")
    path = tmp_path / "asked-desk.toml"
    path.write_text(path.read_text().replace('["agent-traces", "agent-feedback"]', '["quiet"]'))

    said = prefect(
        environment,
        *("deployment", "run", "nightly/on-demand", "--watch"),
        *("--param", f"settings_file={path}", "--param", "seed=7"),
    )

    assert "NothingToTrain" in said


def test_the_server_keeps_on_disk_whose_turn_it_is(environment: dict[str, str]) -> None:
    address = f"{environment['PREFECT_API_URL']}/admin/settings"
    with urllib.request.urlopen(address, timeout=5) as answer:  # noqa: S310 - our own server
        settings = json.load(answer)

    assert settings["server"]["concurrency"]["lease_storage"].endswith(".filesystem")


def test_nightly_is_scheduled_by_cron_one_at_a_time(environment: dict[str, str]) -> None:
    shown = prefect(environment, "deployment", "inspect", "nightly/nightly")

    assert "0 2 * * *" in shown
    assert "ENQUEUE" in shown
