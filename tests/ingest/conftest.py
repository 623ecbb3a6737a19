"""A real broker for the tests of ingest, and topics that no other test uses."""

import itertools
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tracemill.ingest.embedded_broker import EmbeddedBroker, start_broker
from tracemill.ingest.options import IngestOptions
from tracemill.ingest.run import IngestReport, ingest
from tracemill.ingest.store import Store
from tracemill.ingest.topic import create_topics
from tracemill.ingest.wire import Source

NUMBERS = itertools.count()


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedBroker]:
    with start_broker(tmp_path_factory.mktemp("broker")) as running:
        yield running


@pytest.fixture
def new_topic(broker: EmbeddedBroker) -> Callable[..., str]:
    def create(partitions: int = 1) -> str:
        name = f"topic-{next(NUMBERS)}"
        create_topics(broker.address, [name], partitions=partitions)
        return name

    return create


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "tracemill.duckdb") as opened:
        yield opened


Run = Callable[..., IngestReport]


@pytest.fixture
def run(store: Store) -> Run:
    """Ingest a source into the test's store, and return what was done."""

    def read(
        source: Source, options: IngestOptions | None = None, *, close_all: bool = False
    ) -> IngestReport:
        return ingest(
            source,
            store,
            options=options or IngestOptions(),
            now=lambda: datetime.now(UTC),
            close_all=close_all,
        )

    return read
