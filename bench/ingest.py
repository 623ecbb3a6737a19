"""Ingest against the bare floor and against what people would use instead: `python -m bench.ingest`.

The same stream of OTLP agent traces goes through a real broker to a consumer that only parses
(the floor) and to Tracemill with everything on, as a wheel holds it and as plain Python, each alone
on one core, in turns; then to an MLflow and a Phoenix server, until the spans can be queried there.
The last line is JSON.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import orjson

from bench.ingest_redaction import engines, measure, sample
from bench.ingest_rivals import spans_per_second
from bench.ingest_stream import MadeTrace, stream
from bench.installed import compiled_tracemill, kafka_python, tansu
from tracemill.errors import SourceUnavailableError
from tracemill.ingest.embedded_broker import free_port, start_broker
from tracemill.ingest.topic import KafkaSource, Producer, create_topics, publish

REPEATS = 5
RIVAL_TRACES = 200
BACKLOG = 8000


class Runner:
    """Runs each worker in a process of its own, over the code that it is to measure."""

    def __init__(self, compiled: Path | None) -> None:
        """Without a folder of compiled code, "ours" is plain Python."""
        client = kafka_python()
        self._first = {"floor": [client], "ours": [] if compiled is None else [compiled]}

    def run(self, worker: str, address: str, topic: str) -> dict[str, Any]:
        """Return what one worker process measured of itself."""
        name = "ours" if worker == "plain" else worker
        command = [sys.executable, "-m", "bench.ingest_workers", name, address, topic]
        paths = [*map(str, self._first.get(worker, ())), os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        if done.returncode:
            raise SystemExit(done.stderr)
        measured: dict[str, Any] = orjson.loads(done.stdout)
        return measured


def speeds(
    runner: Runner, workers: Sequence[str], traces: Sequence[MadeTrace]
) -> dict[str, list[dict[str, Any]]]:
    """Return what the workers measured, in turns, over a broker of our own."""
    measured: dict[str, list[dict[str, Any]]] = {worker: [] for worker in workers}
    with tempfile.TemporaryDirectory() as folder, start_broker(Path(folder)) as broker:
        create_topics(broker.address, ["bench"])
        publish(broker.address, "bench", (made.value for made in traces))
        for _ in range(REPEATS):
            for worker, results in measured.items():
                results.append(runner.run(worker, broker.address, "bench"))
    return measured


def memory(runner: Runner, count: int) -> tuple[float, float]:
    """Return the peak of memory (MB) with a backlog of so many traces, and of ten times as many.

    Over Tansu: noida-db answers a fetch with a whole partition, whatever limit it is given.
    """
    peaks = []
    with _tansu() as address:
        for topic, backlog in (("once", count), ("ten-times", 10 * count)):
            create_topics(address, [topic])
            with Producer(address) as producer:
                for made in stream(backlog):
                    producer.send(topic, made.value)
                    producer.flush()  # a batch each: its end offsets count batches, not records
            peaks.append(float(runner.run("ours", address, topic)["peak_rss_mb"]))
    return peaks[0], peaks[1]


@contextmanager
def _tansu() -> Iterator[str]:
    address = f"127.0.0.1:{free_port()}"
    command = [str(tansu()), "broker", "--listener-url", f"tcp://{address}"]
    command += ["--advertised-listener-url", f"tcp://{address}", "--storage-engine", "memory://t/"]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=quiet, stderr=quiet) as broker:
        try:
            _wait_for(address)
            yield address
        finally:
            broker.terminate()


def _wait_for(address: str) -> None:
    for _ in range(50):
        try:
            KafkaSource(address, []).count()
        except SourceUnavailableError:
            time.sleep(0.2)
        else:
            return


def rate(results: Sequence[dict[str, Any]]) -> float:
    """Return the median MB/s of some runs."""
    return float(median(one["bytes"] / 1e6 / one["seconds"] for one in results))


def main(arguments: argparse.Namespace) -> dict[str, float | None]:
    """Print a table, and return what the JSON line says."""
    traces = list(stream(arguments.traces))
    size, spans = sum(len(t.value) for t in traces) / 1e6, sum(t.spans for t in traces)
    spans_per_mb = spans / size
    if not arguments.plain:
        say("building the wheel (a minute or two) ...")
    runner = Runner(None if arguments.plain else compiled_tracemill())
    say(f"{len(traces)} traces, {spans} spans, {size:.1f} MB of OTLP/JSON; medians of {REPEATS}")
    measured = speeds(runner, ("floor", "plain", *(() if arguments.plain else ("ours",))), traces)
    floor, plain = rate(measured["floor"]), rate(measured["plain"])
    wheel = measured.get("ours", measured["plain"])
    ours = rate(wheel)
    say(f"floor (poll and parse)    {floor:8.1f} MB/s  {floor * spans_per_mb:9.0f} spans/s")
    say(f"Tracemill, plain Python   {plain:8.1f} MB/s  {plain * spans_per_mb:9.0f} spans/s")
    if not arguments.plain:
        say(f"Tracemill, from a wheel   {ours:8.1f} MB/s  {ours * spans_per_mb:9.0f} spans/s")
    ratios: dict[str, float | None] = {"mlflow": None, "phoenix": None}
    for rival in [] if arguments.no_rivals else list(ratios):
        speed = spans_per_second(traces[:RIVAL_TRACES], rival)
        ratios[rival] = round(ours * spans_per_mb / speed, 1)
        say(f"{rival:25} {speed / spans_per_mb:8.2f} MB/s  {speed:9.0f} spans/s until queryable")
    small, large = (None, None) if arguments.no_memory else memory(runner, BACKLOG)
    say(f"peak memory {small} MB with {BACKLOG} traces waiting, {large} MB with ten times as many")
    name, find = next(engines())
    redaction = measure(name, find, sample())
    return {
        "mb_per_s": round(ours, 2),
        "floor_mb_per_s": round(floor, 2),
        "ratio_to_floor": round(ours / floor, 3),
        "cpu_ratio_to_floor": round(_cpu(measured["floor"]) / _cpu(wheel), 3),
        "plain_mb_per_s": round(plain, 2),
        "plain_ratio_to_floor": round(plain / floor, 3),
        "spans_per_s": round(ours * spans_per_mb),
        "ratio_to_mlflow": ratios["mlflow"],
        "ratio_to_phoenix": ratios["phoenix"],
        "peak_rss_mb": large and round(large, 1),
        "rss_growth": large and small and round(large / small, 3),
        "redaction_mb_per_s": round(redaction.mb_per_s, 1),
        "redaction_recall": round(redaction.recall, 4),
        "redaction_precision": round(redaction.precision, 4),
    }


def _cpu(results: Sequence[dict[str, Any]]) -> float:
    return float(median(one["cpu_seconds"] for one in results))


def say(line: str) -> None:
    """Print a line of the table."""
    sys.stdout.write(line + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=int, default=4000)
    parser.add_argument("--plain", action="store_true", help="plain Python only: no C compiler")
    parser.add_argument("--no-rivals", action="store_true", help="leave out MLflow and Phoenix")
    parser.add_argument("--no-memory", action="store_true", help="leave out Tansu")
    say(orjson.dumps(main(parser.parse_args())).decode())
