"""Dead letters can be looked at, tried again, and sent on."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import orjson
import pytest

from tests.ingest.conftest import Run
from tests.ingest.samples import chat_record, chat_span, otlp
from tracemill.errors import StoreError
from tracemill.ingest.dead_letter_book import (
    Replayed,
    count_dead_letters,
    list_dead_letters,
    mirror_dead_letters,
    replay_dead_letters,
    show_dead_letter,
)
from tracemill.ingest.embedded_broker import EmbeddedBroker
from tracemill.ingest.files import FileSource
from tracemill.ingest.mapping import FieldMapping
from tracemill.ingest.options import IngestOptions, TopicOptions
from tracemill.ingest.refetch import refetch
from tracemill.ingest.store import Store
from tracemill.ingest.topic import KafkaSource, Producer, publish
from tracemill.ingest.wire import WireRecord

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
OWN = orjson.dumps({"talk": [{"role": "user", "content": "Where is A17?"}], "nr": "x1"})


@pytest.fixture
def filled(store: Store, run: Run, tmp_path: Path) -> Store:
    """A store with two dead letters and a trace."""
    (tmp_path / "own.jsonl").write_bytes(b"\n".join([OWN, b"{broken", chat_record("c")]) + b"\n")
    run(FileSource([tmp_path / "own.jsonl"]))
    return store


def test_letters_are_listed_counted_and_shown_with_their_bytes(filled: Store) -> None:
    listed = list_dead_letters(filled)

    assert {letter.reject_class for letter in listed} == {"undecodable", "unsupported"}
    assert [count for _, _, count in count_dead_letters(filled)] == [1, 1]
    (unsupported,) = list_dead_letters(filled, reject_class="unsupported")
    shown = show_dead_letter(filled, unsupported.id[:12])
    assert shown.value == OWN
    assert shown.letter.offset == 0


def test_an_unknown_or_ambiguous_id_is_refused(filled: Store) -> None:
    with pytest.raises(StoreError, match="No dead letter begins"):
        show_dead_letter(filled, "nothing")
    with pytest.raises(StoreError, match="Several dead letters begin"):
        show_dead_letter(filled, "letter-")


def test_a_letter_becomes_a_trace_once_the_settings_know_its_form(filled: Store) -> None:
    mapping = FieldMapping(messages="talk", id="nr")
    options = IngestOptions(topics={"own.jsonl": TopicOptions(mapping=mapping)})

    replayed = replay_dead_letters(filled, options=options, now=NOON)
    again = replay_dead_letters(filled, options=options, now=NOON)

    assert replayed == Replayed(recovered=1, still_dead=1, not_kept=0)
    assert again == Replayed(recovered=0, still_dead=1, not_kept=0)
    assert filled.trace("x1") is not None
    (dead,) = list_dead_letters(filled, reject_class="undecodable")
    assert dead.attempts == 3


def test_a_bad_span_in_a_good_envelope_is_a_letter_of_its_own(
    store: Store, run: Run, tmp_path: Path
) -> None:
    good, bad = chat_span("ab" * 16), {**chat_span("cd" * 16), "spanId": "short"}
    (tmp_path / "spans.json").write_bytes(otlp(good, bad))

    report = run(FileSource([tmp_path / "spans.json"]), close_all=True)

    assert (report.spans, report.traces, report.dead_letters) == (1, 1, 1)
    (letter,) = list_dead_letters(store)
    assert letter.path == "resourceSpans[0].scopeSpans[0].spans[1]"
    assert "'short' is no id" in letter.reason


def test_a_span_that_cannot_be_written_takes_neither_its_record_nor_its_batch_along(
    store: Store, run: Run, tmp_path: Path
) -> None:
    huge = {**chat_span("cd" * 16), "startTimeUnixNano": "9" * 40}
    lines = [otlp(chat_span("ab" * 16), huge), chat_record("c")]
    (tmp_path / "spans.jsonl").write_bytes(b"\n".join(lines) + b"\n")

    report = run(FileSource([tmp_path / "spans.jsonl"]), close_all=True)

    assert (report.traces, report.dead_letters) == (2, 1)
    assert list_dead_letters(store)[0].path == "span b1b2c3d4e5f60718"


def test_bytes_that_were_not_kept_are_fetched_from_their_source(
    store: Store, run: Run, broker: EmbeddedBroker, new_topic: Callable[..., str]
) -> None:
    topic = new_topic()
    publish(broker.address, topic, [b"\x1f\x8b broken gzip"])
    run(KafkaSource(broker.address, [topic]))
    options = IngestOptions()

    without = replay_dead_letters(store, options=options, now=NOON)

    def fetch(topic: str, partition: int, offset: int) -> WireRecord:
        return WireRecord(topic, partition, offset, 0, None, chat_record("mended"))

    assert without == Replayed(recovered=0, still_dead=0, not_kept=1)
    assert replay_dead_letters(store, options=options, now=NOON, fetch=fetch).recovered == 1
    assert store.trace("mended") is not None


def test_a_record_too_large_to_be_kept_is_read_again_from_its_topic(
    store: Store, run: Run, broker: EmbeddedBroker, new_topic: Callable[..., str]
) -> None:
    topic = new_topic(3)
    large = orjson.dumps({"talk": [{"role": "user", "content": "x" * 1_000_100}], "nr": "big"})
    with Producer(broker.address) as producer:
        for partition in (0, 1, 1, 2):
            producer.send(topic, chat_record(f"c{partition}"), partition=partition)
        producer.send(topic, large, partition=1)
    run(KafkaSource(broker.address, [topic]))
    mapping = FieldMapping(messages="talk", id="nr")
    options = IngestOptions(topics={topic: TopicOptions(mapping=mapping)})

    replayed = replay_dead_letters(
        store, options=options, now=NOON, fetch=partial(refetch, broker.address)
    )

    assert replayed == Replayed(recovered=1, still_dead=0, not_kept=0)
    assert store.trace("big") is not None
    assert refetch(broker.address, topic, 1, 99) is None
    assert refetch(broker.address, "file:/x#y", 0, 0) is None


def test_letters_are_sent_once_to_a_topic_with_the_reason_in_their_headers(
    filled: Store, broker: EmbeddedBroker, new_topic: Callable[..., str]
) -> None:
    topic = new_topic()
    with Producer(broker.address) as producer:
        assert mirror_dead_letters(filled, producer, topic, now=NOON) == 2
        assert mirror_dead_letters(filled, producer, topic, now=NOON) == 0

    batches = KafkaSource(broker.address, [topic]).read(lambda t, p: None, 10)
    records = [record for batch in batches for record in batch.records]
    assert {record.value for record in records} == {OWN, b"{broken"}
    ids = {letter.id.encode() for letter in list_dead_letters(filled)}
    assert {record.header("tracemill.dead-letter.id") for record in records} == ids
    assert {record.header("__connect.errors.exception.class.name") for record in records} == {
        b"undecodable",
        b"unsupported",
    }
