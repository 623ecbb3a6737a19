"""serve: one of several workers that share topics by a consumer group, until it is told to stop.

Workers of one process share one store; on several machines each has its own, which mining reads
side by side. A worker that is no longer the owner of a partition writes nothing of it.
"""

from collections.abc import Callable
from datetime import datetime

from tracemill.errors import FencedError
from tracemill.ingest.options import IngestOptions
from tracemill.ingest.run import IngestReport, Worker, small_footprint
from tracemill.ingest.store import Store
from tracemill.ingest.topic_group import KafkaGroup


def serve(
    group: KafkaGroup,
    store: Store,
    *,
    options: IngestOptions,
    now: Callable[[], datetime],
    progress: Callable[[IngestReport], None] | None = None,
) -> IngestReport:
    """Read what the group gives until it is done, close what is due, and return what was done.

    Raises SourceUnavailableError, or StoreError (a full disk).
    """
    worker = Worker(store, options, now)
    with small_footprint(store):
        for batch in group.read(worker.offsets.resume, options.batch_records):
            try:
                worker.take(batch)
            except FencedError:
                for topic, partition in {(r.topic, r.partition) for r in batch.records}:
                    group.look_again(topic, partition)
            if progress is not None:
                progress(worker.report)
        worker.finish(close_everything=False)
    return worker.report
