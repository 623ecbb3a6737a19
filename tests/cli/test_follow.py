"""A worker that runs on: it shares the store with other processes, and ends when it is told to."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.ingest.samples import chat_record, otlp_record, span_records
from tracemill.ingest.embedded_broker import EmbeddedBroker, start_broker
from tracemill.ingest.store import Store
from tracemill.ingest.topic import create_topics, publish

SETTINGS = """
[kafka]
bootstrap_servers = "{address}"
topics = ["agent-traces"]
client_options = {{ "session.timeout.ms" = 6000, "heartbeat.interval.ms" = 2000 }}

[ingest]
quiet_seconds = 1.0
batch_records = 20

[ingest.follow]
hold_seconds = 1.0
close_seconds = 1.0
"""
ENVIRONMENT = {**os.environ, "COLUMNS": "160", "NO_COLOR": "1"}


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[EmbeddedBroker]:
    with start_broker(tmp_path / "broker") as running:
        create_topics(running.address, ["agent-traces"], partitions=3)
        yield running


@pytest.fixture
def project(tmp_path: Path, broker: EmbeddedBroker) -> Path:
    (tmp_path / "tracemill.toml").write_text(SETTINGS.format(address=broker.address))
    return tmp_path


@contextmanager
def following(project: Path, *more: str) -> Iterator["subprocess.Popen[str]"]:
    """A worker that is about to begin; it is killed at the end if it has not ended."""
    command = [sys.executable, "-m", "tracemill", "ingest", "--follow", *more]
    with subprocess.Popen(
        command, cwd=project, env=ENVIRONMENT, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as worker:  # fmt: skip
        try:
            assert worker.stdout is not None
            assert "Following" in worker.stdout.readline()
            yield worker
        finally:
            worker.kill()


def tracemill(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tracemill", *arguments]
    return subprocess.run(
        command, cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )


def count(project: Path, what: str = "SELECT count(*) FROM traces") -> int:
    with Store(project / ".tracemill" / "tracemill.duckdb", wait_seconds=20) as store:
        return int(store.execute(what)[0][0] or 0)


def wait_until(is_so: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.2)


def stop(worker: "subprocess.Popen[str]", number: int = signal.SIGTERM) -> str:
    """Tell the worker to stop, and return what it printed; it must end well."""
    worker.send_signal(number)
    printed, errors = worker.communicate(timeout=30)
    assert worker.returncode == 0, errors
    return printed


def values(name: str, count: int) -> list[bytes]:
    return [chat_record(f"{name}{number}") for number in range(count)]


def test_others_have_their_turn_while_it_reads_and_nothing_is_counted_twice(
    project: Path, broker: EmbeddedBroker
) -> None:
    publish(broker.address, "agent-traces", values("a", 600))
    with following(project) as worker:
        wait_until(lambda: count(project) >= 100)
        publish(broker.address, "agent-traces", values("b", 600))

        mined = tracemill("failures", cwd=project)
        once = tracemill("ingest", cwd=project)
        publish(broker.address, "agent-traces", values("c", 100))
        wait_until(lambda: count(project) == 1300)
        printed = stop(worker)

    assert (mined.returncode, once.returncode) == (0, 0), mined.stderr + once.stderr
    assert "Ended by SIGTERM" in printed
    assert count(project, "SELECT sum(records) FROM decoders_used") == 1300
    assert count(project, "SELECT max(revision) FROM traces") == 1


def test_a_trace_in_pieces_closes_by_the_clock_while_nothing_comes(
    project: Path, broker: EmbeddedBroker
) -> None:
    with following(project) as worker:
        publish(broker.address, "agent-traces", [otlp_record("ab" * 16)])
        wait_until(lambda: count(project) == 1)
        printed = stop(worker, signal.SIGINT)

    assert "Ended by SIGINT" in printed
    assert count(project, "SELECT count(*) FROM open_traces") == 0


def test_two_processes_share_a_store_and_one_takes_over_what_the_other_leaves(
    project: Path, broker: EmbeddedBroker
) -> None:
    publish(broker.address, "agent-traces", values("a", 300))
    with following(project) as first, following(project) as second:
        wait_until(lambda: count(project) == 300)
        publish(broker.address, "agent-traces", values("c", 300))
        stop(first)
        publish(broker.address, "agent-traces", values("b", 300))
        wait_until(lambda: count(project) == 900)
        stop(second)

    assert count(project, "SELECT sum(records) FROM decoders_used") == 900


def test_a_worker_that_is_killed_again_and_again_is_replaced_and_counts_every_record_once(
    project: Path, broker: EmbeddedBroker
) -> None:
    spans = [value for number in range(100) for value in span_records(f"{number + 1:032x}")]
    publish(broker.address, "agent-traces", [*values("a", 2900), *spans])
    dice = random.Random(7)

    for _ in range(4):
        with following(project, "--worker", "one") as worker:
            time.sleep(dice.uniform(0.4, 1.2))
            worker.kill()
    with following(project, "--worker", "one") as worker:
        wait_until(lambda: count(project) == 3000)
        stop(worker)

    assert count(project, "SELECT sum(records) FROM decoders_used") == 3200
    assert count(project, "SELECT sum(spans) FROM fragments") == 300


def test_it_ends_when_it_is_told_to_though_another_process_holds_the_store(
    project: Path, broker: EmbeddedBroker
) -> None:
    publish(broker.address, "agent-traces", values("a", 10))
    with following(project) as worker:
        wait_until(lambda: count(project) == 10)
        with Store(project / ".tracemill" / "tracemill.duckdb", wait_seconds=20):
            publish(broker.address, "agent-traces", values("b", 10))
            time.sleep(2)
            worker.terminate()
            time.sleep(3)
        printed, errors = worker.communicate(timeout=30)

    assert worker.returncode == 0, errors
    assert "Ended by SIGTERM" in printed
    assert count(project) in (10, 20)


def test_a_broker_that_restarts_is_followed_on(project: Path, broker: EmbeddedBroker) -> None:
    publish(broker.address, "agent-traces", values("a", 50))
    with following(project) as worker:
        wait_until(lambda: count(project) == 50)
        broker.close()
        time.sleep(3)
        with start_broker(project / "broker", port=broker.port):
            publish(broker.address, "agent-traces", values("b", 50))
            wait_until(lambda: count(project) == 100)
            stop(worker)


def test_files_cannot_be_followed(tmp_path: Path) -> None:
    result = tracemill("ingest", "--follow", "--file", "x.jsonl", cwd=tmp_path)

    assert result.returncode == 2
    assert "--follow reads topics" in result.stderr
