"""KafkaSource: records from Kafka topics, from offsets that the store keeps; and a Producer.

Partitions are assigned with their offsets, not subscribed: the store's offsets decide what is read
next, and Kafka's own are not used.
"""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, NamedTuple, Self, cast

from confluent_kafka import KafkaError, KafkaException, Message
from confluent_kafka.admin import NewTopic

from tracemill.errors import SourceUnavailableError
from tracemill.ingest.data_loss import Held, LossChoice, lost
from tracemill.ingest.topic_client import (
    ANSWER_SECONDS,
    BATCH_BYTES,
    LARGEST_MESSAGE,
    Cluster,
    Connected,
    Place,
    to_partitions,
)
from tracemill.ingest.wire import Batch, DataLoss, Resume, WireRecord, split_batches

STALL_SECONDS = 30.0
POLL_SECONDS = 0.5
DELIVERY_SECONDS = 60.0
ANY_PARTITION = -1
NOW = 0
NO_GROUP = "tracemill-without-a-group"
"""librdkafka wants a name; a group is made by the first commit, and nothing is committed."""
OF_GROUPS = {KafkaError.GROUP_AUTHORIZATION_FAILED}
"""librdkafka looks for the group all the same: a user who may use none reads on."""


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
        """`client_options` go to librdkafka under its own names (security.protocol, sasl.…).

        `on_data_loss` says what to do where the topic no longer holds the next offset: refuse, or
        go on from the earliest (or latest) that there is, with the loss recorded.
        """
        self.bootstrap_servers = bootstrap_servers
        self.topics = tuple(topics)
        self._cluster = Cluster(bootstrap_servers, client_options)
        self._stall_seconds = stall_seconds
        self._on_data_loss = on_data_loss

    def read(self, resume: Resume, batch_records: int) -> Iterator[Batch]:
        """Yield what the topics hold now, from where `resume` says.

        Raises SourceUnavailableError if the broker is not reachable or stops answering, a topic
        is missing, or an offset of the store lies outside what the topic holds.
        """
        with self._cluster.consumer(self.topics, NO_GROUP) as consumer:
            way, losses = self._begin(consumer, resume)
            if losses:
                yield Batch((), way.lag, losses)
            yield from self._poll(consumer, way, batch_records)

    def count(self) -> dict[str, int]:
        """Return how many records each topic holds now.

        Raises SourceUnavailableError if the broker is not reachable, or a topic is missing.
        """
        with self._cluster.consumer(self.topics, NO_GROUP) as consumer:
            places = consumer.partitions
            firsts, ends = consumer.firsts(places), consumer.ends(places)
        counts = dict.fromkeys(self.topics, 0)
        for place in places:
            counts[place[0]] += ends[place] - firsts[place]
        return counts

    def _begin(self, consumer: Connected, resume: Resume) -> tuple["_Way", tuple[DataLoss, ...]]:
        """Assign what is to be read, and return the way to the ends, and what is lost."""
        firsts, ends = consumer.firsts(consumer.partitions), consumer.ends(consumer.partitions)
        position: dict[Place, int] = {}
        losses: list[DataLoss] = []
        for place in consumer.partitions:
            wanted = resume(*place)
            loss = lost(Held(*place, firsts[place], ends[place]), wanted, self._on_data_loss)
            losses += [] if loss is None else [loss]
            start = firsts[place] if wanted is None else wanted
            position[place] = start if loss is None else loss.read_from
        way = _Way(position, ends)
        consumer.client.assign(to_partitions(way.open))
        return way, tuple(losses)

    def _poll(self, consumer: Connected, way: "_Way", batch_records: int) -> Iterator[Batch]:
        last_progress = time.monotonic()
        while lag := way.lag:
            to_read = way.open
            records = self._records(consumer.take(batch_records, POLL_SECONDS), way)
            # Nothing is fetched in vain from where nothing more is wanted.
            consumer.client.pause(to_partitions(way.closed_of(to_read)))
            yield from split_batches(
                records, way.lag, batch_records=batch_records, batch_bytes=BATCH_BYTES
            )
            if way.lag < lag:
                last_progress = time.monotonic()
                continue
            self._cluster.check()
            if time.monotonic() - last_progress > self._stall_seconds:
                raise SourceUnavailableError(
                    f"The broker at {self.bootstrap_servers!r} has sent nothing for "
                    f"{self._stall_seconds:.0f} s, with {lag} records to come"
                    f"{self._cluster.trouble}: "
                    "see whether it runs, then start again; what was read is kept."
                )

    def _records(self, messages: Iterable[Message], way: "_Way") -> list[WireRecord]:
        """Return the records, and go on past them and past gaps before an end."""
        records = []
        for message in messages:
            error = message.error()
            if error is None:
                record = to_wire(message)
                records.append(record)
                way.position[record.topic, record.partition] = record.offset + 1
            elif error.code() == KafkaError._PARTITION_EOF:
                way.position[place_of(message)] = message.offset() or 0
            elif error.code() not in OF_GROUPS:
                self._cluster.bear(error)
        return records


class _Way(NamedTuple):
    """Where each partition is, and where it ended at the start."""

    position: dict[Place, int]
    ends: Mapping[Place, int]

    @property
    def open(self) -> dict[Place, int]:
        """The positions of those that are not yet at their ends."""
        return {place: at for place, at in self.position.items() if at < self.ends[place]}

    @property
    def lag(self) -> int:
        """How many offsets are to come."""
        return sum(self.ends[place] - at for place, at in self.open.items())

    def closed_of(self, places: Iterable[Place]) -> dict[Place, int]:
        """Return the positions of those of these that are at their ends."""
        still = self.open
        return {place: self.position[place] for place in places if place not in still}


def place_of(message: Message) -> Place:
    """Return the topic and the partition that a message of the client is about."""
    number = message.partition()
    return message.topic() or "", -1 if number is None else number


def to_wire(message: Message) -> WireRecord:
    """Return the client's record as ours."""
    return WireRecord(
        topic=message.topic() or "",
        partition=message.partition() or 0,
        offset=message.offset() or 0,
        timestamp_ms=message.timestamp()[1],
        key=message.key(),
        value=message.value(),
        headers=tuple(cast("Sequence[tuple[str, bytes | None]]", message.headers() or ())),
    )


def create_topics(bootstrap_servers: str, topics: Iterable[str], *, partitions: int = 1) -> None:
    """Create those of the topics that are not there.

    Raises SourceUnavailableError if the broker is not reachable or refuses.
    """
    cluster = Cluster(bootstrap_servers)
    admin = cluster.admin()
    wanted = [NewTopic(topic, partitions, 1) for topic in topics]
    for created in admin.create_topics(wanted).values() if wanted else ():
        try:
            created.result(ANSWER_SECONDS)
        except KafkaException as error:
            if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                raise cluster.failed("Creating topics at", error.args[0]) from error


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
        self._cluster = Cluster(bootstrap_servers, client_options)
        self._acknowledged = 0
        self._refused: KafkaError | None = None
        self._producer = self._cluster.producer(
            {
                "compression.type": compression or "none",
                "enable.idempotence": True,
                "partitioner": "murmur2_random",  # as the Java client places keys
                "message.max.bytes": LARGEST_MESSAGE,
                "message.timeout.ms": int(DELIVERY_SECONDS * 1000),
            }
        )

    def send(
        self,
        topic: str,
        value: bytes | None,
        *,
        key: bytes | None = None,
        headers: Sequence[tuple[str, bytes | None]] = (),
        partition: int | None = None,
        timestamp_ms: int | None = None,
    ) -> None:
        """Take a record to be published; `flush` tells whether it was."""
        with self._cluster.errors_told("Publishing to"):
            while True:
                try:
                    self._producer.produce(
                        topic,
                        value=value,
                        key=key,
                        headers=list(headers),
                        on_delivery=self._told,
                        partition=ANY_PARTITION if partition is None else partition,
                        timestamp=timestamp_ms or NOW,
                    )
                    self._producer.poll(0)
                except BufferError:  # what was sent is more than the client holds: some must go
                    self._producer.poll(POLL_SECONDS)
                else:
                    return

    def flush(self) -> int:
        """Wait until all are acknowledged, and return how many there were since the last flush.

        Raises SourceUnavailableError if one was not.
        """
        left = self._producer.flush(DELIVERY_SECONDS + POLL_SECONDS)
        count, refused = self._acknowledged, self._refused
        self._acknowledged, self._refused = 0, None
        if refused is not None:
            raise self._cluster.failed("Publishing to", refused)
        if left:
            raise SourceUnavailableError(
                f"The broker at {self._cluster.address!r} has not acknowledged {left} records"
                f"{self._cluster.trouble}: see whether it runs, then send them again."
            )
        return count

    def close(self) -> None:
        """Flush, and leave the broker."""
        try:
            self.flush()
        finally:
            self._producer.close()

    def _told(self, error: KafkaError | None, message: Message) -> None:
        if error is None:
            self._acknowledged += 1
        else:
            self._refused = error

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
