"""Whatever dies, and whenever: each record is counted once. These tests do it for real."""

import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.ingest.child import CHILD
from tests.ingest.counting import count, counts, now
from tests.ingest.raw_batches import publish_raw
from tests.ingest.samples import chat_record, span_records
from tracemill.errors import SourceUnavailableError, StoreError
from tracemill.ingest.embedded_broker import EmbeddedBroker, start_broker
from tracemill.ingest.options import IngestOptions
from tracemill.ingest.run import ingest
from tracemill.ingest.store import Store
from tracemill.ingest.topic import KafkaSource, Producer, create_topics, publish

NewTopic = Callable[..., str]


def test_a_worker_killed_between_batches_again_and_again_counts_every_record_once(
    broker: EmbeddedBroker, new_topic: Callable[..., str], tmp_path: Path
) -> None:
    topic = new_topic(partitions=3)
    publish(broker.address, topic, [chat_record(f"c{number}") for number in range(600)])
    command = [sys.executable, "-c", CHILD, str(tmp_path / "s.duckdb"), broker.address, topic]

    for _ in range(4):
        with subprocess.Popen(command, stdout=subprocess.PIPE) as worker:
            assert worker.stdout is not None
            worker.stdout.readline()
            worker.stdout.readline()
            worker.kill()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    with Store(tmp_path / "s.duckdb") as store:
        assert store.execute("SELECT count(*), max(revision) FROM traces") == [(600, 1)]
        assert store.execute("SELECT sum(next_offset) FROM offsets") == [(600,)]


@pytest.mark.slow
def test_thirty_kills_over_fifty_thousand_records_lose_none_and_count_none_twice(
    broker: EmbeddedBroker, new_topic: NewTopic, tmp_path: Path
) -> None:
    """20,000 whole traces, and 10,000 in three spans that lie in different partitions."""
    topic = new_topic(partitions=3)
    with Producer(broker.address) as producer:
        for number in range(10_000):
            values = [chat_record(f"a{number}"), chat_record(f"b{number}")]
            values += span_records(f"{number + 1:032x}")
            for place, value in enumerate(values):
                producer.send(topic, value, partition=(number + place) % 3)
    code = CHILD.replace("batch_records=20", "batch_records=200")
    command = [sys.executable, "-c", code, str(tmp_path / "s.duckdb"), broker.address, topic]
    dice = random.Random(7)

    kills = 0
    while kills < 30:
        with subprocess.Popen(command, stdout=subprocess.PIPE) as worker:
            assert worker.stdout is not None
            worker.stdout.readline()
            time.sleep(dice.random() * 0.6)
            kills += worker.poll() is None
            worker.kill()

    with Store(tmp_path / "s.duckdb") as store:
        source = KafkaSource(broker.address, [topic])
        ingest(source, store, options=IngestOptions(), now=now, close_all=True)
        sums = "SELECT (SELECT sum(records) FROM decoders_used), (SELECT sum(spans) FROM fragments)"
        shapes = Counter((len(trace.messages), trace.revision) for trace in store.traces())
        assert store.execute(sums) == [(50_000, 30_000)]
        assert shapes == {(2, 1): 20_000, (3, 1): 10_000}


def test_a_broker_that_is_stopped_and_started_again_is_read_on(tmp_path: Path) -> None:
    with start_broker(tmp_path / "broker") as first:
        create_topics(first.address, ["t"])
        publish(first.address, "t", [chat_record(f"c{n}") for n in range(300)])
        port = first.port
        source = KafkaSource(first.address, ["t"], stall_seconds=2)
        with Store(tmp_path / "s.duckdb") as store:
            first.close()
            with pytest.raises(SourceUnavailableError):
                ingest(source, store, options=IngestOptions(), now=now)
            with start_broker(tmp_path / "broker", port=port):
                report = ingest(source, store, options=IngestOptions(), now=now)

            assert report.records == 300
            assert counts(store) == (300, 300, 300)


def test_a_topic_made_anew_is_refused_with_the_choices_and_read_with_the_loss_recorded(
    broker: EmbeddedBroker, new_topic: NewTopic, store: Store
) -> None:
    topic = new_topic()
    publish(broker.address, topic, [chat_record("new")])
    store.execute("INSERT INTO offsets VALUES (?, 0, 500)", [topic])

    with pytest.raises(SourceUnavailableError, match=r"on_data_loss = 'earliest'.*or 'latest'"):
        ingest(KafkaSource(broker.address, [topic]), store, options=IngestOptions(), now=now)
    source = KafkaSource(broker.address, [topic], on_data_loss="earliest")
    report = ingest(source, store, options=IngestOptions(), now=now)

    assert (report.records, report.traces) == (1, 1)
    assert store.execute("SELECT wanted, read_from, reason FROM data_losses") == [
        (500, 0, "read up to offset 500, but it ends at 1: the topic was made anew")
    ]
    assert ingest(source, store, options=IngestOptions(), now=now).records == 0


def test_sigterm_ends_the_batch_and_the_next_run_goes_on(
    broker: EmbeddedBroker, new_topic: NewTopic, tmp_path: Path
) -> None:
    topic = new_topic()
    publish(broker.address, topic, [chat_record(f"c{n}") for n in range(400)])
    code = CHILD.replace(
        "KafkaSource(address, [topic]), store",
        "stack.enter_context(Interruptible(KafkaSource(address, [topic]))), store",
    ).replace(
        "with Store(Path(path)) as store:", "with ExitStack() as stack, Store(Path(path)) as store:"
    )
    code = (
        "from contextlib import ExitStack\nfrom tracemill.ingest.stopping import Interruptible\n"
        + code
    )
    code = code.replace(
        "print(report.records, flush=True)",
        "(print(report.records, flush=True), sys.stdin.readline())",
    )
    command = [sys.executable, "-c", code, str(tmp_path / "s.duckdb"), broker.address, topic]

    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE) as worker:
        assert worker.stdout is not None
        assert worker.stdin is not None
        worker.stdout.readline()
        worker.terminate()
        worker.stdin.write(b"\n" * 10)
        worker.stdin.close()
        assert worker.wait(30) == 0

    with Store(tmp_path / "s.duckdb") as store:
        assert 0 < count(store) < 400
        report = ingest(
            KafkaSource(broker.address, [topic]), store, options=IngestOptions(), now=now
        )
        assert report.records == 400 - (counts(store)[0] - report.records)
        assert counts(store) == (400, 400, 400)


@pytest.mark.parametrize(
    ("codec", "words"), [(5, "codec 0x5.*cannot read it"), (4, "codec 0x4.*is damaged or unknown")]
)
def test_a_batch_that_cannot_be_unpacked_is_refused_with_its_codec(
    broker: EmbeddedBroker, new_topic: NewTopic, codec: int, words: str
) -> None:
    topic = new_topic()
    publish_raw(broker.address, topic, codec=codec, records=b"no frame of this codec")

    with pytest.raises(SourceUnavailableError, match=words):
        list(KafkaSource(broker.address, [topic]).read(lambda t, p: None, 10))


def test_the_store_says_what_it_is_when_it_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "s.duckdb").mkdir()

    with pytest.raises(StoreError, match=r"s\.duckdb"):
        Store(tmp_path / "s.duckdb")
