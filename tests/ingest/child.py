"""A worker in a process of its own, which tests kill: `python -c CHILD STORE ADDRESS TOPIC`."""

CHILD = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from tracemill.ingest.options import IngestOptions
from tracemill.ingest.run import ingest
from tracemill.ingest.store import Store
from tracemill.ingest.topic import KafkaSource

path, address, topic = sys.argv[1:]
with Store(Path(path)) as store:
    ingest(
        KafkaSource(address, [topic]), store, options=IngestOptions(batch_records=20),
        now=lambda: datetime.now(UTC), progress=lambda report: print(report.records, flush=True),
    )
"""
