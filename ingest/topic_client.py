"""Cluster: the way to Kafka that its readers and writers share: options, contact, errors in words.

Beside topic.py and topic_group.py the only module that knows confluent-kafka, the Python client
over librdkafka. What librdkafka logs goes to the logger `tracemill.kafka` at level DEBUG: all that
a user needs of it is in the errors.
"""

import logging
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from confluent_kafka import (
    OFFSET_BEGINNING,
    OFFSET_END,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient, ClusterMetadata

from tracemill.errors import SourceUnavailableError
from tracemill.ingest.broker_advice import advice
from tracemill.ingest.client_options import named_options

CONNECT_SECONDS = 5.0
ATTEMPT_SECONDS = 1.0
ANSWER_SECONDS = 30.0
FILL_SECONDS = 0.01
SETTLE_SECONDS = 0.03
BATCH_BYTES = 24_000_000
CHUNK = 50
LARGEST_MESSAGE = 1_000_000_000

CONSUMER = {
    "isolation.level": "read_committed",
    "allow.auto.create.topics": False,
    "check.crcs": True,
    "receive.message.max.bytes": LARGEST_MESSAGE,
    # Others may have the store for so long before a group takes this reader for dead.
    "max.poll.interval.ms": 3_600_000,
    # One fetch waits here while a batch is worked on: more is no faster, and takes memory.
    "queued.min.messages": 1,
    "fetch.queue.backoff.ms": 5,
    "fetch.max.bytes": 2 * BATCH_BYTES,
    "max.partition.fetch.bytes": BATCH_BYTES,
}
OURS = {
    "auto.offset.reset": "error",
    "enable.auto.commit": False,
    "enable.auto.offset.store": False,
    "enable.partition.eof": True,
}
"""What reading relies on, whatever `client_options` say."""

REFUSALS = {
    KafkaError._AUTHENTICATION,
    KafkaError.SASL_AUTHENTICATION_FAILED,
    KafkaError.UNSUPPORTED_SASL_MECHANISM,
}
PASSING = {
    KafkaError._ALL_BROKERS_DOWN,
    KafkaError._MAX_POLL_EXCEEDED,
    KafkaError._RESOLVE,
    KafkaError._TIMED_OUT,
    KafkaError._TRANSPORT,
    KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
    KafkaError.COORDINATOR_NOT_AVAILABLE,
    KafkaError.LEADER_NOT_AVAILABLE,
    KafkaError.NOT_COORDINATOR,
    KafkaError.NOT_LEADER_FOR_PARTITION,
    KafkaError.REBALANCE_IN_PROGRESS,
    KafkaError.REQUEST_TIMED_OUT,
}
"""What the client goes on trying after; it may be over soon."""

Place = tuple[str, int]
"""A topic and the number of one of its partitions."""
Client = Consumer | Producer | AdminClient


class Cluster:
    """A Kafka cluster by its address, with the options of the client."""

    def __init__(self, address: str, client_options: Mapping[str, Any] | None = None) -> None:
        self.address = address
        self._options = dict(client_options or {})
        self._heard: KafkaError | None = None

    @contextmanager
    def consumer(self, topics: Sequence[str], group: str, **defaults: Any) -> Iterator["Connected"]:
        """Give a consumer and the partitions of the topics; it is closed at the end.

        Raises SourceUnavailableError if no broker is reached, the options are refused, or a topic
        is not there; and what the client raises inside, with advice.
        """
        consumer = self._client(Consumer, CONSUMER, {**OURS, "group.id": group})
        try:
            if not topics:
                self._metadata(consumer)
            with self.errors_told("Reading from"):
                yield Connected(consumer, tuple(self._partitions(consumer, topics)))
        finally:
            consumer.close()

    def producer(self, defaults: Mapping[str, Any]) -> Producer:
        """Return a producer that has reached a broker.

        Raises SourceUnavailableError if there is none, or the options are refused.
        """
        producer: Producer = self._client(Producer, defaults, {})
        # Asked for metadata before it has its id, an idempotent one waits half a second for that.
        producer.poll(SETTLE_SECONDS)
        self._metadata(producer)
        return producer

    def admin(self) -> AdminClient:
        """Return an administrator that has reached a broker.

        Raises SourceUnavailableError as `producer` does.
        """
        admin: AdminClient = self._client(AdminClient, {}, {})
        self._metadata(admin)
        return admin

    @contextmanager
    def errors_told(self, doing: str) -> Iterator[None]:
        """Raise what the client raises inside as SourceUnavailableError, with advice."""
        try:
            yield
        except KafkaException as error:
            raise self.failed(doing, error.args[0]) from error

    def failed(self, doing: str, error: KafkaError) -> SourceUnavailableError:
        """Return the error that says what failed, and what to do."""
        return SourceUnavailableError(
            f"{doing} {self.address!r} failed ({error.str()}): {advice(error.name())}."
        )

    def option(self, name: str) -> object:
        """Return what `client_options` say of a name of librdkafka's, if anything."""
        return named_options(self._options).get(name)

    @property
    def trouble(self) -> str:
        """What the client heard last that was wrong, in brackets; empty if nothing was."""
        return f" ({self._heard.str()})" if self._heard else ""

    def note(self, error: KafkaError) -> None:
        """Take down what is wrong; that all brokers are down tells less than why one is."""
        if error.code() != KafkaError._ALL_BROKERS_DOWN:
            self._heard = error

    def check(self) -> None:
        """Raise SourceUnavailableError if a broker has refused the user: no waiting mends that."""
        if self._heard is not None and self._heard.code() in REFUSALS:
            raise self.failed("Reading from", self._heard)

    def bear(self, error: KafkaError) -> None:
        """Take down an error that passes; raise another as SourceUnavailableError."""
        if error.fatal() or not (error.code() in PASSING or error.retriable()):
            raise self.failed("Reading from", error)
        self.note(error)

    def _client(self, kind: type[Any], defaults: Mapping[str, Any], ours: Mapping[str, Any]) -> Any:
        own = {**ours, "bootstrap.servers": self.address, "error_cb": self.note}
        try:
            return kind({**defaults, **named_options(self._options), **own}, logger=_Log())
        except (KafkaException, TypeError, ValueError) as error:
            said = error.args[0].str() if isinstance(error, KafkaException) else error
            raise SourceUnavailableError(
                f"The Kafka client for {self.address!r} refuses its options: {said}"
            ) from error

    def _partitions(self, consumer: Consumer, topics: Iterable[str]) -> Iterator[Place]:
        for topic in topics:
            found = self._metadata(consumer, topic).topics[topic]
            numbers, error = found.partitions, found.error
            if error is not None and error.code() != KafkaError.UNKNOWN_TOPIC_OR_PART:
                raise self.failed(f"Looking for topic {topic!r} at", error)
            if not numbers:
                raise SourceUnavailableError(
                    f"The broker at {self.address!r} has no topic {topic!r}: create it, "
                    "or correct the list of topics."
                )
            yield from ((topic, number) for number in sorted(numbers))

    def _metadata(self, client: Client, topic: str | None = None) -> ClusterMetadata:
        """Return what the cluster says of the topic, asked again while there is time to connect.

        Without a topic it says which topics there are; a producer that names one would create it.
        """
        deadline = time.monotonic() + CONNECT_SECONDS
        while True:
            try:
                found = client.list_topics(topic, timeout=ATTEMPT_SECONDS)
            except KafkaException as error:
                client.poll(0)  # lets the client tell what it has heard
                heard = self._heard or error.args[0]
                if time.monotonic() < deadline and heard.code() not in REFUSALS:
                    continue
                raise SourceUnavailableError(
                    f"No Kafka broker can be reached at {self.address!r} ({heard.str()}): "
                    f"{advice(heard.name())}."
                ) from error
            else:
                self._heard = None
                return found


class Connected(NamedTuple):
    """A consumer that has reached its broker."""

    client: Consumer
    partitions: tuple[Place, ...]

    def firsts(self, places: Iterable[Place]) -> dict[Place, int]:
        """Return the first offset that each partition holds."""
        return _offsets(self.client, places, OFFSET_BEGINNING, ANSWER_SECONDS)

    def ends(self, places: Iterable[Place], seconds: float = ANSWER_SECONDS) -> dict[Place, int]:
        """Return the offset after the last record that may be read of each partition."""
        return _offsets(self.client, places, OFFSET_END, seconds)

    def take(self, batch_records: int, seconds: float) -> list[Message]:
        """Return what has arrived: some records, ends of partitions and errors, in order.

        Waits so long for the first; then takes what is there, up to `batch_records` or about
        BATCH_BYTES.
        """
        taken = self.client.consume(1, seconds)
        size = sum(len(message) for message in taken)
        while taken and len(taken) < batch_records and size < BATCH_BYTES:
            wanted = min(CHUNK, batch_records - len(taken))
            chunk = self.client.consume(wanted, FILL_SECONDS)
            taken += chunk
            size += sum(len(message) for message in chunk)
            if len(chunk) < wanted:
                break
        return taken


def _offsets(
    consumer: Consumer, places: Iterable[Place], which: int, seconds: float
) -> dict[Place, int]:
    """Ask for the offsets by the times that stand for the first and the last one."""
    asked = [TopicPartition(topic, number, which) for topic, number in places]
    found: dict[Place, int] = {}
    for answer in consumer.offsets_for_times(asked, timeout=seconds) if asked else ():
        if answer.error is not None:
            raise KafkaException(answer.error)
        found[answer.topic, answer.partition] = answer.offset
    return found


def to_partitions(offsets: Mapping[Place, int]) -> list[TopicPartition]:
    """Return the places with their offsets as the client wants them."""
    return [TopicPartition(topic, number, offset) for (topic, number), offset in offsets.items()]


class _Log:
    """Takes what librdkafka logs."""

    def log(self, level: int, message: str, *arguments: object) -> None:
        logging.getLogger("tracemill.kafka").debug(message, *arguments)
