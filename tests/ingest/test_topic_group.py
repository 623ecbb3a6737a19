"""Workers of a consumer group: they share, take over, fall asleep, and count each record once."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient

from tests.ingest.counting import count, counts, now
from tests.ingest.samples import chat_record, otlp_record
from tracemill.errors import SourceUnavailableError
from tracemill.ingest.data_loss import LossChoice
from tracemill.ingest.embedded_broker import EmbeddedBroker
from tracemill.ingest.options import FollowOptions, IngestOptions
from tracemill.ingest.run import IngestReport
from tracemill.ingest.serve import serve
from tracemill.ingest.store import Store
from tracemill.ingest.topic import Producer, create_topics, publish
from tracemill.ingest.topic_group import KafkaGroup

NewTopic = Callable[..., str]


@pytest.mark.parametrize("strategy", ["range", "cooperative-sticky"])
def test_two_workers_share_a_topic_and_one_takes_over_what_the_other_leaves(
    broker: EmbeddedBroker, new_topic: NewTopic, tmp_path: Path, strategy: str
) -> None:
    topic = new_topic(partitions=4)
    path = tmp_path / "s.duckdb"
    stops = [threading.Event(), threading.Event()]
    reports = [0, 0]

    def work(number: int) -> None:
        group = KafkaGroup(
            broker.address, [topic], f"g-{topic}", is_done=stops[number].is_set,
            client_options={"partition.assignment.strategy": strategy},
        )  # fmt: skip
        with Store(path) as store:
            report = serve(group, store, options=IngestOptions(batch_records=50), now=now)
            reports[number] = report.records

    with Store(path) as store:
        publish(broker.address, topic, [chat_record(f"a{n}") for n in range(1000)])
        threads = [threading.Thread(target=work, args=(number,)) for number in (0, 1)]
        threads[0].start()
        wait_until(lambda: count(store) >= 200)
        threads[1].start()
        publish(broker.address, topic, [chat_record(f"b{n}") for n in range(1000)])
        wait_until(lambda: count(store) >= 1600)
        stops[0].set()
        threads[0].join(30)
        publish(broker.address, topic, [chat_record(f"c{n}") for n in range(1000)])
        wait_until(lambda: count(store) == 3000)
        stops[1].set()
        threads[1].join(30)

        assert counts(store) == (3000, 3000, 3000)
        assert sum(reports) == 3000
        assert reports[1] >= 1000


def wait_until(is_so: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.05)


def test_a_worker_that_slept_past_its_poll_interval_writes_nothing_when_it_wakes(
    broker: EmbeddedBroker, new_topic: NewTopic, store: Store
) -> None:
    topic = new_topic()
    publish(broker.address, topic, [chat_record(f"c{n}") for n in range(40)])
    has_slept = threading.Event()

    class Sleeper(KafkaGroup):
        def read(self, *args, **kwargs):  # type: ignore[no-untyped-def]
            for batch in super().read(*args, **kwargs):
                if batch.records and not has_slept.is_set():
                    has_slept.set()
                    other.start()
                    other.join(60)  # another worker reads everything meanwhile
                yield batch

    def read_all() -> None:
        options = IngestOptions(batch_records=10)
        with Store(store.path) as same, Store(store.path) as watched:
            group = KafkaGroup(
                broker.address, [topic], f"g-{topic}", is_done=lambda: count(watched) == 40
            )
            serve(group, same, options=options, now=now)

    other = threading.Thread(target=read_all)
    began = time.monotonic()
    sleeper = Sleeper(
        broker.address,
        [topic],
        f"g-{topic}",
        is_done=lambda: has_slept.is_set() or time.monotonic() - began > 60,
        client_options={"max.poll.interval.ms": 6000, "session.timeout.ms": 6000},
    )
    report = serve(sleeper, store, options=IngestOptions(batch_records=10), now=now)

    assert report.records == 0
    assert counts(store) == (40, 40, 40)


def test_a_worker_of_a_group_refuses_or_records_what_is_lost_too(
    broker: EmbeddedBroker, new_topic: NewTopic, store: Store
) -> None:
    topic = new_topic()
    publish(broker.address, topic, [chat_record("new")])
    store.execute("INSERT INTO offsets VALUES (?, 0, 500)", [topic])

    def follow(choice: LossChoice) -> IngestReport:
        began = time.monotonic()
        with Store(store.path) as watched:
            group = KafkaGroup(
                broker.address, [topic], f"g-{topic}", on_data_loss=choice,
                is_done=lambda: count(watched) == 1 or time.monotonic() - began > 60,
            )  # fmt: skip
            return serve(group, store, options=IngestOptions(), now=now)

    with pytest.raises(SourceUnavailableError, match=r"on_data_loss = 'earliest'"):
        follow("refuse")
    report = follow("earliest")

    assert (report.records, report.traces) == (1, 1)
    assert store.execute("SELECT wanted, read_from FROM data_losses") == [(500, 0)]


def test_a_topic_made_anew_while_a_group_reads_it_is_noticed(
    broker: EmbeddedBroker, new_topic: NewTopic, store: Store
) -> None:
    topic = new_topic()
    publish(broker.address, topic, [chat_record(f"c{n}") for n in range(3)])
    admin = AdminClient({"bootstrap.servers": broker.address})
    is_anew = threading.Event()

    def make_anew(report: IngestReport) -> None:
        if report.records == 3 and not is_anew.is_set():
            is_anew.set()
            admin.delete_topics([topic])[topic].result(10)
            create_topics(broker.address, [topic])
            publish(broker.address, topic, [chat_record("new")])

    began = time.monotonic()
    with Store(store.path) as watched:
        group = KafkaGroup(
            broker.address, [topic], f"g-{topic}", on_data_loss="earliest",
            is_done=lambda: count(watched) == 4 or time.monotonic() - began > 60,
        )  # fmt: skip
        serve(group, store, options=IngestOptions(), now=now, progress=make_anew)

    assert store.execute("SELECT wanted, read_from FROM data_losses") == [(3, 0)]
    assert count(store) == 4


def test_a_quiet_partition_does_not_keep_the_traces_of_others_open(
    broker: EmbeddedBroker, new_topic: NewTopic, store: Store
) -> None:
    topic = new_topic(partitions=2)
    options = IngestOptions(quiet_seconds=1, follow=FollowOptions(close_seconds=60))
    hour_ago = int(time.time() * 1000) - 3_600_000
    with Producer(broker.address) as producer:
        producer.send(topic, chat_record("old"), partition=1, timestamp_ms=hour_ago)
        producer.send(topic, otlp_record("ab" * 16), partition=0)
    began, is_closed = time.monotonic(), [False]

    def goes_on() -> bool:
        """A record now and then in one partition; the other holds only an old one."""
        publish_to(broker, topic, f"c{time.monotonic()}")
        is_closed[0] = watched.trace("ab" * 16) is not None
        return is_closed[0] or time.monotonic() - began > 20

    with Store(store.path) as watched:
        group = KafkaGroup(broker.address, [topic], f"g-{topic}", is_done=goes_on)
        serve(group, store, options=options, now=now)

    assert is_closed == [True]


def publish_to(broker: EmbeddedBroker, topic: str, name: str) -> None:
    with Producer(broker.address) as producer:
        producer.send(topic, chat_record(name), partition=0)
