"""KafkaGroup: several workers share the partitions of some topics, and one store their offsets.

Kafka's group decides who reads which partition; the store decides from where. A partition that is
assigned waits until this worker has looked its offset up; a worker that lost a partition without
knowing it (it slept past its poll interval) is found out by the store's compare-and-swap.
Rebalance listeners run on the client's own thread, so all they do is take notes.
"""

import queue
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from kafka import ConsumerRebalanceListener, KafkaConsumer, OffsetAndMetadata, TopicPartition
from kafka.errors import KafkaError

from tracemill.errors import SourceUnavailableError
from tracemill.ingest.broker_advice import advice
from tracemill.ingest.topic import (
    BATCH_BYTES,
    CONNECT_SECONDS,
    LARGEST_MESSAGE,
    POLL_MILLISECONDS,
    to_wire,
)
from tracemill.ingest.wire import Batch, Resume, split_batches


class KafkaGroup:
    """The partitions of the topics that the group gives to this worker, read until `is_done`."""

    def __init__(
        self,
        bootstrap_servers: str,
        topics: Sequence[str],
        group: str,
        *,
        is_done: Callable[[], bool],
        client_options: Mapping[str, Any] | None = None,
    ) -> None:
        """`is_done` is asked after each poll, so it must be quick.

        Name a `group_instance_id` in `client_options` where a worker that dies should be replaced
        without waiting for its session to end.
        """
        self._address = bootstrap_servers
        self._topics = tuple(topics)
        self._group = group
        self._is_done = is_done
        self._client_options = dict(client_options or {})
        self._notes: queue.SimpleQueue[tuple[str, frozenset[TopicPartition]]] = queue.SimpleQueue()
        self._mine: set[TopicPartition] = set()

    def read(self, resume: Resume, batch_records: int) -> Iterator[Batch]:
        """Yield what comes, from where `resume` says when a partition is assigned.

        Raises SourceUnavailableError if the broker is not reachable, or refuses.
        """
        with self._consumer(batch_records) as consumer:
            consumer.subscribe(list(self._topics), listener=_Notes(consumer, self._notes))
            while not self._is_done():
                polled = consumer.poll(POLL_MILLISECONDS, max_records=batch_records)
                self._take_notes(consumer, resume)
                for partition, chunk in polled.items():
                    if partition in self._mine:
                        yield from self._batches(consumer, partition, chunk, batch_records)

    def give_up(self, topic: str, partition: int) -> None:
        """Read this partition no further until it is assigned anew: another worker has it."""
        self._mine.discard(TopicPartition(topic, partition))

    def _batches(
        self, consumer: KafkaConsumer, partition: TopicPartition, chunk: Any, batch_records: int
    ) -> Iterator[Batch]:
        records = [to_wire(record) for record in chunk]
        limits = {"batch_records": batch_records, "batch_bytes": BATCH_BYTES}
        for batch in split_batches(records, 0, **limits):
            if partition not in self._mine:
                return
            yield batch
            # For tools that show lag; what counts is the offset in the store.
            done = {partition: OffsetAndMetadata(batch.records[-1].offset + 1, "", -1)}
            consumer.commit_async(done)

    def _take_notes(self, consumer: KafkaConsumer, resume: Resume) -> None:
        """Give up what was revoked, and begin what was assigned where the store says."""
        while not self._notes.empty():
            kind, partitions = self._notes.get()
            if kind == "gone":
                self._mine -= partitions
                continue
            for partition in partitions & consumer.assignment():
                wanted = resume(partition.topic, partition.partition)
                first = consumer.beginning_offsets([partition])[partition]
                consumer.seek(partition, first if wanted is None else wanted)
                consumer.resume(partition)
                self._mine.add(partition)

    @contextmanager
    def _consumer(self, batch_records: int) -> Iterator[KafkaConsumer]:
        try:
            consumer = KafkaConsumer(
                bootstrap_servers=self._address,
                bootstrap_timeout_ms=int(CONNECT_SECONDS * 1000),
                group_id=self._group,
                enable_auto_commit=False,
                auto_offset_reset="earliest",
                allow_auto_create_topics=False,
                isolation_level="read_committed",
                max_poll_records=batch_records,
                receive_message_max_bytes=LARGEST_MESSAGE,
                **self._client_options,
            )
        except (KafkaError, OSError) as error:
            raise SourceUnavailableError(
                f"No Kafka broker can be reached at {self._address!r} ({error}): {advice(error)}."
            ) from error
        try:
            yield consumer
        except KafkaError as error:
            raise SourceUnavailableError(
                f"Reading from {self._address!r} failed ({error}): {advice(error)}."
            ) from error
        finally:
            consumer.close(autocommit=False)


class _Notes(ConsumerRebalanceListener):
    """Writes down what is assigned and revoked; it may not block, nor touch the store."""

    def __init__(
        self,
        consumer: KafkaConsumer,
        notes: "queue.SimpleQueue[tuple[str, frozenset[TopicPartition]]]",
    ) -> None:
        self._consumer = consumer
        self._notes = notes

    def on_partitions_assigned(self, assigned: Any) -> None:
        """Hold the partitions back until their offsets are looked up."""
        if assigned:
            self._consumer.pause(*assigned)
        self._notes.put(("assigned", frozenset(assigned)))

    def on_partitions_revoked(self, revoked: Any) -> None:
        """Note that another worker may have them."""
        self._notes.put(("gone", frozenset(revoked)))

    def on_partitions_lost(self, lost: Any) -> None:
        """Note that another worker has them already."""
        self._notes.put(("gone", frozenset(lost)))
