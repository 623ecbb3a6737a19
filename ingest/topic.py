"""KafkaSource: records from Kafka topics, from offsets that the store keeps; and a Producer.

The only module that knows kafka-python. Records are taken as raw bytes: a deserializer that raises
makes a kafka-python consumer loop for ever. Partitions are assigned and sought, not subscribed:
the store's offsets decide what is read next, and Kafka's own are not used.
"""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any, Self

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import NewTopic
from kafka.errors import (
    KafkaConfigurationError,
    KafkaError,
    TopicAlreadyExistsError,
)

from tracemill.errors import SourceUnavailableError
from tracemill.ingest.broker_advice import advice
from tracemill.ingest.data_loss import Held, LossChoice, lost
from tracemill.ingest.wire import Batch, DataLoss, Resume, WireRecord, split_batches

BATCH_BYTES = 12_000_000
CONNECT_SECONDS = 5.0
STALL_SECONDS = 30.0
POLL_MILLISECONDS = 500
LARGEST_MESSAGE = 1_000_000_000


class KafkaSource:
    """The topics, read from where the store says up to their ends as they are at the start."""

    def __init__(
        self,
        bootstrap_servers: str,
        topics: Sequence[str],
        *,
        client_options: Mapping[str, Any] | None = None,
        stall_seconds: float = STALL_SECONDS,
        on_data_loss: LossChoice = "refuse",
    ) -> None:
        """`client_options` go to kafka-python as they are (security_protocol, sasl_…, ssl_…).

        `on_data_loss` says what to do where the topic no longer holds the next offset: refuse, or
        go on from the earliest (or latest) that there is, with the loss recorded.
        """
        self.bootstrap_servers = bootstrap_servers
        self.topics = tuple(topics)
        self._client_options = dict(client_options or {})
        self._stall_seconds = stall_seconds
        self._on_data_loss = on_data_loss

    def read(self, resume: Resume, batch_records: int) -> Iterator[Batch]:
        """Yield what the topics hold now, from where `resume` says.

        Raises SourceUnavailableError if the broker is not reachable or stops answering, a topic
        is missing, or an offset of the store lies outside what the topic holds.
        """
        with self._consumer() as consumer:
            ends, losses = self._seek(consumer, resume)
            if losses:
                yield Batch((), _lag(consumer, ends), losses)
            yield from self._poll(consumer, ends, batch_records)

    def count(self) -> dict[str, int]:
        """Return how many records each topic holds now.

        Raises SourceUnavailableError if the broker is not reachable, or a topic is missing.
        """
        with self._consumer() as consumer:
            partitions = [TopicPartition(*place) for place in self._partitions(consumer)]
            firsts, ends = consumer.beginning_offsets(partitions), consumer.end_offsets(partitions)
        counts = dict.fromkeys(self.topics, 0)
        for partition in partitions:
            counts[partition.topic] += ends[partition] - firsts[partition]
        return counts

    @contextmanager
    def _consumer(self) -> Iterator[KafkaConsumer]:
        """Give a consumer; what it raises inside is told with advice, and it is closed."""
        consumer = self._connect()
        try:
            yield consumer
        except KafkaError as error:
            raise SourceUnavailableError(
                f"Reading from {self.bootstrap_servers!r} failed ({error}): {advice(error)}."
            ) from error
        finally:
            consumer.close(autocommit=False)

    def _connect(self) -> KafkaConsumer:
        with _reachable(self.bootstrap_servers):
            return KafkaConsumer(
                bootstrap_servers=self.bootstrap_servers,
                bootstrap_timeout_ms=int(CONNECT_SECONDS * 1000),
                group_id=None,
                enable_auto_commit=False,
                auto_offset_reset="none",
                allow_auto_create_topics=False,
                isolation_level="read_committed",
                reconnect_backoff_max_ms=2000,
                receive_message_max_bytes=LARGEST_MESSAGE,
                **self._client_options,
            )

    def _seek(
        self, consumer: KafkaConsumer, resume: Resume
    ) -> tuple[dict[TopicPartition, int], tuple[DataLoss, ...]]:
        """Assign all partitions, seek each, and return where each ends, and what is lost."""
        partitions = [TopicPartition(*place) for place in self._partitions(consumer)]
        consumer.assign(partitions)
        firsts = consumer.beginning_offsets(partitions)
        ends: dict[TopicPartition, int] = consumer.end_offsets(partitions)
        losses: list[DataLoss] = []
        for partition in partitions:
            wanted = resume(partition.topic, partition.partition)
            held = Held(partition.topic, partition.partition, firsts[partition], ends[partition])
            loss = lost(held, wanted, self._on_data_loss)
            losses += [] if loss is None else [loss]
            start = firsts[partition] if wanted is None else wanted
            consumer.seek(partition, start if loss is None else loss.read_from)
        return ends, tuple(losses)

    def _partitions(self, consumer: KafkaConsumer) -> Iterator[tuple[str, int]]:
        for topic in self.topics:
            numbers = consumer.partitions_for_topic(topic)
            if not numbers:
                raise SourceUnavailableError(
                    f"The broker at {self.bootstrap_servers!r} has no topic {topic!r}: create it, "
                    "or correct the list of topics."
                )
            yield from ((topic, number) for number in sorted(numbers))

    def _poll(
        self, consumer: KafkaConsumer, ends: dict[TopicPartition, int], batch_records: int
    ) -> Iterator[Batch]:
        last_progress = time.monotonic()
        while lag := _lag(consumer, ends):
            polled = consumer.poll(POLL_MILLISECONDS, max_records=batch_records)
            if polled:
                records = [to_wire(record) for chunk in polled.values() for record in chunk]
                yield from split_batches(
                    records,
                    _lag(consumer, ends),
                    batch_records=batch_records,
                    batch_bytes=BATCH_BYTES,
                )
                last_progress = time.monotonic()
            elif time.monotonic() - last_progress > self._stall_seconds:
                raise SourceUnavailableError(
                    f"The broker at {self.bootstrap_servers!r} has sent nothing for "
                    f"{self._stall_seconds:.0f} s, with {lag} records to come: "
                    "see whether it runs, then start again; what was read is kept."
                )


def _lag(consumer: KafkaConsumer, ends: dict[TopicPartition, int]) -> int:
    return sum(max(0, end - consumer.position(partition)) for partition, end in ends.items())


def to_wire(record: Any) -> WireRecord:
    """Return kafka-python's record as ours."""
    return WireRecord(
        topic=record.topic,
        partition=record.partition,
        offset=record.offset,
        timestamp_ms=record.timestamp,
        key=record.key,
        value=record.value,
        headers=tuple(record.headers),
    )


@contextmanager
def _reachable(address: str) -> Iterator[None]:
    try:
        yield
    except (ValueError, KafkaConfigurationError) as error:
        raise SourceUnavailableError(
            f"The Kafka client for {address!r} refuses its options: {error}"
        ) from error
    except (KafkaError, OSError) as error:
        raise SourceUnavailableError(
            f"No Kafka broker can be reached at {address!r} ({error}): "
            "see whether it runs, and whether the address and its security settings are right."
        ) from error


def create_topics(bootstrap_servers: str, topics: Iterable[str], *, partitions: int = 1) -> None:
    """Create those of the topics that are not there.

    Raises SourceUnavailableError if the broker is not reachable or refuses.
    """
    with _reachable(bootstrap_servers):
        admin = KafkaAdminClient(
            bootstrap_servers=bootstrap_servers, bootstrap_timeout_ms=int(CONNECT_SECONDS * 1000)
        )
        try:
            for topic in topics:
                _create_topic(admin, topic, partitions)
        finally:
            admin.close()


def _create_topic(admin: KafkaAdminClient, topic: str, partitions: int) -> None:
    with suppress(TopicAlreadyExistsError):
        admin.create_topics([NewTopic(topic, partitions, 1)])


class Producer:
    """Publishes records; each is acknowledged by the broker before `flush` returns."""

    def __init__(
        self,
        bootstrap_servers: str,
        *,
        compression: str | None = None,
        client_options: Mapping[str, Any] | None = None,
    ) -> None:
        """Raises SourceUnavailableError if the broker is not reachable."""
        given, known = client_options or {}, KafkaProducer.DEFAULT_CONFIG
        self._address = bootstrap_servers
        self._sent: list[Any] = []
        with _reachable(bootstrap_servers):
            self._producer = KafkaProducer(
                bootstrap_servers=bootstrap_servers,
                bootstrap_timeout_ms=int(CONNECT_SECONDS * 1000),
                acks="all",
                linger_ms=5,
                compression_type=compression,
                max_request_size=LARGEST_MESSAGE,
                **{name: given[name] for name in given if name in known},  # not a consumer's alone
            )

    def send(
        self,
        topic: str,
        value: bytes | None,
        *,
        key: bytes | None = None,
        headers: Sequence[tuple[str, bytes]] = (),
        partition: int | None = None,
        timestamp_ms: int | None = None,
    ) -> None:
        """Take a record to be published; `flush` tells whether it was."""
        with _reachable(self._address):
            self._sent.append(
                self._producer.send(
                    topic,
                    value=value,
                    key=key,
                    headers=list(headers),
                    partition=partition,
                    timestamp_ms=timestamp_ms,
                )
            )

    def flush(self) -> int:
        """Wait until all are acknowledged, and return how many there were since the last flush.

        Raises SourceUnavailableError if one was not.
        """
        with _reachable(self._address):
            self._producer.flush(timeout=60)
            for future in self._sent:
                future.get(timeout=60)
        count = len(self._sent)
        self._sent.clear()
        return count

    def close(self) -> None:
        """Flush, and leave the broker."""
        try:
            self.flush()
        finally:
            self._producer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def publish(bootstrap_servers: str, topic: str, values: Iterable[bytes]) -> int:
    """Publish the values, without keys, and return how many there were."""
    with Producer(bootstrap_servers) as producer:
        for value in values:
            producer.send(topic, value)
        return producer.flush()
