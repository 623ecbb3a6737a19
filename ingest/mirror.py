"""Mirror: dead letters as records of a Kafka topic, for those who watch topics."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from tracemill.errors import SourceUnavailableError
from tracemill.ingest.dead_letter_book import mirror_dead_letters, waits_for_mirror
from tracemill.ingest.store import Store
from tracemill.ingest.topic import Producer


def mirror(
    store: Store,
    topic: str,
    bootstrap_servers: str,
    *,
    client_options: Mapping[str, Any] | None = None,
    now: datetime,
) -> int:
    """Send the dead letters that wait to the topic, and return how many there were.

    Raises SourceUnavailableError if the broker does not take them: they wait for the next time.
    """
    if not waits_for_mirror(store):
        return 0
    try:
        with Producer(bootstrap_servers, client_options=client_options) as producer:
            return mirror_dead_letters(store, producer, topic, now=now)
    except SourceUnavailableError as error:
        raise SourceUnavailableError(
            f"Dead letters could not be sent to the topic {topic!r} (they are kept, and sent the "
            f"next time): {error}"
        ) from error
