"""What one worker of a group does beside reading."""

import time
from collections.abc import Callable
from datetime import UTC, datetime

from tests.ingest.samples import chat_record
from tracemill.errors import SourceUnavailableError
from tracemill.ingest.embedded_broker import EmbeddedBroker
from tracemill.ingest.options import FollowOptions, IngestOptions
from tracemill.ingest.run import IngestReport
from tracemill.ingest.serve import serve
from tracemill.ingest.store import Store
from tracemill.ingest.topic import publish
from tracemill.ingest.topic_group import KafkaGroup


def test_dead_letters_that_nobody_takes_now_are_offered_again_and_reading_goes_on(
    broker: EmbeddedBroker, new_topic: Callable[..., str], store: Store
) -> None:
    topic, asked = new_topic(), 0
    reports: list[IngestReport] = []
    publish(broker.address, topic, [chat_record("a")])
    began = time.monotonic()

    def mirror(held: Store) -> int:
        nonlocal asked
        asked += 1
        if asked == 1:
            publish(broker.address, topic, [chat_record("b")])
            raise SourceUnavailableError("away")
        return 3 if asked == 2 else 0

    def is_done() -> bool:
        read = reports[-1].records if reports else 0
        return read == 2 or time.monotonic() - began > 30

    report = serve(
        KafkaGroup(broker.address, [topic], f"g-{topic}", is_done=is_done),
        store,
        options=IngestOptions(),
        now=lambda: datetime.now(UTC),
        progress=reports.append,
        mirror=mirror,
    )

    assert (report.records, report.mirrored) == (2, 3)


def test_progress_tells_how_much_is_still_to_come(
    broker: EmbeddedBroker, new_topic: Callable[..., str], store: Store
) -> None:
    topic = new_topic()
    publish(broker.address, topic, [chat_record(f"c{number}") for number in range(60)])
    reports: list[IngestReport] = []
    options = IngestOptions(batch_records=10, follow=FollowOptions(hold_seconds=0, gap_seconds=0))
    began = time.monotonic()

    def is_done() -> bool:
        is_through = bool(reports) and reports[-1].records == 60 and reports[-1].lag == 0
        return is_through or time.monotonic() - began > 30

    group = KafkaGroup(broker.address, [topic], f"g-{topic}", is_done=is_done)
    serve(group, store, options=options, now=lambda: datetime.now(UTC), progress=reports.append)

    assert max(report.lag for report in reports) > 0
    assert (reports[-1].records, reports[-1].lag) == (60, 0)
    assert store.execute("SELECT count(*) FROM traces") == [(60,)]
