"""The processes that `bench.ingest` measures, each alone: `python -m bench.ingest_workers NAME …`.

Each prints one JSON line: seconds, CPU seconds, bytes and the peak of its memory.
"""

import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import orjson

from tracemill.ingest.options import IngestOptions
from tracemill.ingest.run import ingest
from tracemill.ingest.store import Store
from tracemill.ingest.topic import KafkaSource


def floor(address: str, topic: str) -> int:
    """Poll the topic and parse each value, and nothing else; return the bytes.

    The client is kafka-python, the usual one in Python, and none of Tracemill's dependencies.
    """
    from kafka import KafkaConsumer, TopicPartition

    consumer = KafkaConsumer(
        bootstrap_servers=address,
        group_id=None,
        enable_auto_commit=False,
        auto_offset_reset="none",
        isolation_level="read_committed",
        receive_message_max_bytes=1_000_000_000,
    )
    partition = TopicPartition(topic, 0)
    consumer.assign([partition])
    end = consumer.end_offsets([partition])[partition]
    consumer.seek(partition, 0)
    read = 0
    while consumer.position(partition) < end:
        for records in consumer.poll(500, max_records=500).values():
            for record in records:
                orjson.loads(record.value)
                read += len(record.value)
    consumer.close(autocommit=False)
    return read


def ours(address: str, topic: str) -> int:
    """Ingest the topic with everything on, and close every trace; return the bytes."""
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "bench.duckdb") as store:
        report = ingest(
            KafkaSource(address, [topic]),
            store,
            options=IngestOptions(),
            now=lambda: datetime.now(UTC),
            close_all=True,
        )
    if report.traces != report.records or report.dead_letters:
        raise SystemExit(f"ingest lost something: {report}")
    return report.bytes


WORKERS: dict[str, Callable[[str, str], int]] = {"floor": floor, "ours": ours}


def main(name: str, address: str, topic: str) -> dict[str, Any]:
    """Run one worker on one core and return what it took."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    if name == "floor":
        import_module("kafka")  # loading a client is no polling; ours is loaded by now, too
    began, cpu = time.perf_counter(), time.process_time()
    read = WORKERS[name](address, topic)
    return {
        "seconds": time.perf_counter() - began,
        "cpu_seconds": time.process_time() - cpu,
        "bytes": read,
        "peak_rss_mb": peak_mb(),
    }


def peak_mb() -> float:
    """Return the most memory that this process has held (MiB).

    Linux tells it of the program alone; getrusage counts what the process held that started it.
    """
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    peak = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
    return int(peak.split()[1]) / 1024


if __name__ == "__main__" and len(sys.argv) == 4:
    sys.stdout.write(orjson.dumps(main(*sys.argv[1:])).decode() + "\n")
