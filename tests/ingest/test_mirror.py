"""Dead letters reach a topic of their own, and wait where its broker is away."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.ingest.conftest import Run
from tests.ingest.samples import chat_record
from tracemill.errors import SourceUnavailableError
from tracemill.ingest.dead_letter_book import MIRROR_PAGE, waits_for_mirror
from tracemill.ingest.embedded_broker import EmbeddedBroker, free_port
from tracemill.ingest.files import FileSource
from tracemill.ingest.mirror import mirror
from tracemill.ingest.store import Store
from tracemill.ingest.topic import KafkaSource

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)


@pytest.fixture
def filled(store: Store, run: Run, tmp_path: Path) -> Store:
    """A store with more dead letters than are sent together."""
    lines = [chat_record("c"), *(b"{broken %d" % number for number in range(MIRROR_PAGE + 7))]
    (tmp_path / "log.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    run(FileSource([tmp_path / "log.jsonl"]))
    return store


def held(broker: EmbeddedBroker, topic: str) -> int:
    return KafkaSource(broker.address, [topic]).count()[topic]


def test_every_letter_is_sent_once_and_new_ones_after_it(
    filled: Store, run: Run, broker: EmbeddedBroker, new_topic: Callable[..., str], tmp_path: Path
) -> None:
    topic = new_topic()
    options = {
        "max.poll.interval.ms": 300_000,
        "client.id": "tracemill",
    }  # the first is a consumer's

    first = mirror(filled, topic, broker.address, client_options=options, now=NOON)
    again = mirror(filled, topic, broker.address, now=NOON)
    (tmp_path / "more.jsonl").write_bytes(b"{broken too\n")
    run(FileSource([tmp_path / "more.jsonl"]))
    more = mirror(filled, topic, broker.address, now=NOON)

    assert (first, again, more) == (MIRROR_PAGE + 7, 0, 1)
    assert held(broker, topic) == MIRROR_PAGE + 8


def test_letters_wait_for_a_broker_that_is_away(
    filled: Store, broker: EmbeddedBroker, new_topic: Callable[..., str]
) -> None:
    topic = new_topic()

    with pytest.raises(SourceUnavailableError, match=f"topic {topic!r}.*are kept"):
        mirror(filled, topic, f"127.0.0.1:{free_port()}", now=NOON)

    assert waits_for_mirror(filled)
    assert mirror(filled, topic, broker.address, now=NOON) == MIRROR_PAGE + 7
