"""Topics are read from the store's offsets, and what cannot be read is refused at once."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import confluent_kafka
import pytest
from confluent_kafka.admin import AdminClient

from tests.ingest.refusing_broker import refusing_broker
from tracemill.errors import SourceUnavailableError
from tracemill.ingest.embedded_broker import EmbeddedBroker, start_broker
from tracemill.ingest.topic import KafkaSource, Producer, create_topics, publish
from tracemill.ingest.wire import WireRecord


def records_of(source: KafkaSource, resume: int | None = None) -> list[WireRecord]:
    return [r for batch in source.read(lambda topic, partition: resume, 500) for r in batch.records]


def test_a_record_comes_with_its_key_headers_time_and_bytes(
    broker: EmbeddedBroker, new_topic: Callable[..., str]
) -> None:
    topic = new_topic()
    headers = [("h", b"1"), ("h", None), ("g", b"")]
    hour_ago = int(time.time() * 1000) - 3_600_000  # what is days old the broker may delete
    with Producer(broker.address) as producer:
        producer.send(topic, b"\x00v", key=b"k", headers=headers, timestamp_ms=hour_ago)
        producer.send(topic, None, key=b"k")
        producer.send(topic, b"", key=b"")

    first, tombstone, empty = records_of(KafkaSource(broker.address, [topic]))

    assert first == WireRecord(topic, 0, 0, hour_ago, b"k", b"\x00v", tuple(headers))
    assert tombstone.value is None
    assert (empty.key, empty.value, empty.headers) == (b"", b"", ())
    assert first.header("g") == b""
    assert first.header("none") is None


@pytest.mark.parametrize("compression", ["gzip", "lz4", "zstd", "snappy"])
def test_every_compression_of_batches_is_read(
    broker: EmbeddedBroker, new_topic: Callable[..., str], compression: str
) -> None:
    topic = new_topic()
    with Producer(broker.address, compression=compression) as producer:
        for number in range(50):
            producer.send(topic, b"value %d" % number * 20)

    assert len(records_of(KafkaSource(broker.address, [topic]))) == 50


def test_reading_goes_on_from_the_stores_offset_and_ends_at_the_end(
    broker: EmbeddedBroker, new_topic: Callable[..., str]
) -> None:
    topic = new_topic()
    publish(broker.address, topic, [b"0", b"1", b"2"])

    assert [r.value for r in records_of(KafkaSource(broker.address, [topic]), 2)] == [b"2"]
    assert records_of(KafkaSource(broker.address, [topic]), 3) == []


def test_batches_tell_how_many_records_are_still_to_come(
    broker: EmbeddedBroker, new_topic: Callable[..., str]
) -> None:
    topic = new_topic(partitions=3)
    publish(broker.address, topic, [b"x"] * 100)

    batches = list(KafkaSource(broker.address, [topic]).read(lambda t, p: None, 20))

    assert sum(len(batch.records) for batch in batches) == 100
    assert max(len(batch.records) for batch in batches) <= 20
    assert batches[-1].lag == 0


def test_an_unreachable_broker_is_refused_within_seconds() -> None:
    started = time.monotonic()

    with pytest.raises(SourceUnavailableError, match=r"127\.0\.0\.1:9.*see whether it runs"):
        records_of(KafkaSource("127.0.0.1:9", ["agent-traces"]))

    assert time.monotonic() - started < 10


def test_a_broker_that_falls_silent_is_told_after_the_stall_and_what_was_read_is_kept(
    tmp_path: Path,
) -> None:
    with start_broker(tmp_path) as broker:
        create_topics(broker.address, ["t"])
        publish(broker.address, "t", [b"x"] * 7)

        def stop_it(topic: str, partition: int) -> None:
            os.kill(broker.pid, signal.SIGSTOP)

        source = KafkaSource(broker.address, ["t"], stall_seconds=0.5)
        try:
            with pytest.raises(SourceUnavailableError, match="nothing for 0 s, with 7 records"):
                list(source.read(stop_it, 500))
        finally:
            os.kill(broker.pid, signal.SIGCONT)
        assert len(records_of(source)) == 7


def test_a_wrong_password_is_told_with_what_to_look_at() -> None:
    options = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN"}
    user = {"sasl.username": "u", "sasl.password": "p"}

    with refusing_broker() as address:
        source = KafkaSource(address, ["t"], client_options={**options, **user})
        with pytest.raises(SourceUnavailableError, match=r"wrong password.*see sasl\.mechanism"):
            records_of(source)


def test_the_client_writes_nothing_to_the_terminal() -> None:
    code = (
        "from tracemill.ingest.topic import KafkaSource\n"
        "try: KafkaSource('127.0.0.1:9', []).count()\n"
        "except Exception as error: print(type(error).__name__)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert (done.stdout, done.stderr) == ("SourceUnavailableError\n", "")


def test_a_missing_topic_is_refused_by_name_and_not_created(broker: EmbeddedBroker) -> None:
    with pytest.raises(SourceUnavailableError, match="no topic 'nowhere'"):
        records_of(KafkaSource(broker.address, ["nowhere"]))

    topics = AdminClient({"bootstrap.servers": broker.address}).list_topics(timeout=5).topics
    assert "nowhere" not in topics


def test_what_is_not_committed_is_not_read_nor_waited_for(
    broker: EmbeddedBroker, new_topic: Callable[..., str]
) -> None:
    topic = new_topic()
    producer = confluent_kafka.Producer(
        {"bootstrap.servers": broker.address, "transactional.id": topic}
    )
    producer.init_transactions(10)
    for value, end in ((b"kept", producer.commit_transaction), (b"no", producer.abort_transaction)):
        producer.begin_transaction()
        producer.produce(topic, value)
        producer.flush(10)
        end()
    producer.begin_transaction()
    producer.produce(topic, b"not yet")
    producer.flush(10)

    batches = list(KafkaSource(broker.address, [topic], stall_seconds=5).read(lambda t, p: 0, 10))
    producer.abort_transaction()

    assert [r.value for batch in batches for r in batch.records] == [b"kept"]


def test_an_offset_beyond_the_end_of_a_topic_made_anew_is_refused(
    broker: EmbeddedBroker, new_topic: Callable[..., str]
) -> None:
    topic = new_topic()
    publish(broker.address, topic, [b"x"])

    with pytest.raises(SourceUnavailableError, match=r"up to offset 20, but it ends at 1"):
        records_of(KafkaSource(broker.address, [topic]), 20)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"no.such": 1}, r"refuses its options.*no\.such"),
        ({"security_protocol": "SSL"}, r"'security_protocol' is no name.*'security\.protocol'"),
        ({"security": {"protocol": "none"}}, r"Invalid value \"none\".*security\.protocol"),
    ],
)
def test_options_that_the_client_does_not_know_are_refused(
    broker: EmbeddedBroker, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(SourceUnavailableError, match=words):
        records_of(KafkaSource(broker.address, ["x"], client_options=options))


def test_creating_a_topic_twice_is_no_error(broker: EmbeddedBroker) -> None:
    create_topics(broker.address, ["twice"])
    create_topics(broker.address, ["twice", "new"])

    assert records_of(KafkaSource(broker.address, ["twice", "new"])) == []


def test_what_the_broker_holds_is_there_after_it_was_stopped(tmp_path: Path) -> None:
    with start_broker(tmp_path) as first:
        create_topics(first.address, ["kept"])
        publish(first.address, "kept", [b"x"])

    with start_broker(tmp_path) as second:
        assert len(records_of(KafkaSource(second.address, ["kept"]))) == 1
