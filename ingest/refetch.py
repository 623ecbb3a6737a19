"""Refetch: one record again from the broker, where the store did not keep its bytes."""

from collections.abc import Mapping
from typing import Any

from tracemill.ingest.topic import KafkaSource
from tracemill.ingest.wire import WireRecord

NOWHERE = 2**62
"""An offset beyond any end: those partitions are not read."""


def refetch(
    bootstrap_servers: str,
    topic: str,
    partition: int,
    offset: int,
    *,
    client_options: Mapping[str, Any] | None = None,
) -> WireRecord | None:
    """Return the record at this place; None if it is no longer there (or it came from a file).

    Raises SourceUnavailableError if the broker cannot be reached, or has no such topic.
    """
    if topic.startswith("file:"):
        return None

    def resume(_: str, number: int) -> int:
        return offset if number == partition else NOWHERE

    source = KafkaSource(
        bootstrap_servers, [topic], client_options=client_options, on_data_loss="latest"
    )
    batches = source.read(resume, 1)
    found = next((record for batch in batches for record in batch.records), None)
    return found if found is not None and found.offset == offset else None
