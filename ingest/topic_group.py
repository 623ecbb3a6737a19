"""KafkaGroup: several workers share the partitions of some topics, and one store their offsets.

Kafka's group decides who reads which partition; the store decides from where. A partition that is
assigned waits until this worker has looked its offset up; a worker that lost a partition without
knowing it (it slept past its poll interval) is found out by the store's compare-and-swap.
Rebalance listeners run on the client's own thread, so all they do is take notes.
"""

import queue
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from kafka import ConsumerRebalanceListener, KafkaConsumer, OffsetAndMetadata, TopicPartition
from kafka.errors import KafkaError

from tracemill.errors import SourceUnavailableError
from tracemill.ingest.broker_advice import advice
from tracemill.ingest.data_loss import Held, LossChoice, lost
from tracemill.ingest.topic import (
    BATCH_BYTES,
    CONNECT_SECONDS,
    LARGEST_MESSAGE,
    POLL_MILLISECONDS,
    to_wire,
)
from tracemill.ingest.wire import Batch, DataLoss, Resume, split_batches

LAG_SECONDS = 1.0
PATIENCE_MS = 3_600_000
"""Others may have the store for so long before the group takes this worker for dead."""


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
        on_data_loss: LossChoice = "refuse",
    ) -> None:
        """`is_done` is asked after each poll, so it must be quick.

        Name a `group_instance_id` in `client_options` where a worker that dies should be replaced
        without waiting for its session to end. `on_data_loss` is as in KafkaSource.
        """
        self._address = bootstrap_servers
        self._topics = tuple(topics)
        self._group = group
        self.is_done = is_done
        self._client_options = dict(client_options or {})
        self._on_data_loss = on_data_loss
        self._notes: queue.SimpleQueue[tuple[str, frozenset[TopicPartition]]] = queue.SimpleQueue()
        self._mine: dict[TopicPartition, int] = {}
        """Each partition of this worker, with the offset that is to come next of it."""
        self._lag = _Lag()

    def read(self, resume: Resume, batch_records: int) -> Iterator[Batch]:
        """Yield what comes, from where `resume` says when a partition is assigned.

        A batch without records says that nothing came, and is yielded about twice a second then.
        Raises SourceUnavailableError if the broker is not reachable or refuses, or if what is to
        be read is gone and the choice is to refuse that.
        """
        with self._consumer(batch_records) as consumer:
            consumer.subscribe(list(self._topics), listener=_Notes(consumer, self._notes))
            while not self.is_done():
                polled = consumer.poll(POLL_MILLISECONDS, max_records=batch_records)
                losses = [*self._take_notes(consumer, resume), *self._gaps(consumer, polled)]
                lag = self._lag.measured(consumer, self._mine)
                if losses or not polled:
                    yield Batch((), lag, tuple(losses))
                for partition, chunk in polled.items():
                    if partition in self._mine:
                        yield from self._batches(consumer, partition, chunk, batch_records)

    @property
    def behind(self) -> frozenset[tuple[str, int]]:
        """The partitions of this worker that hold more than was read, when that was last seen."""
        return self._lag.behind

    @property
    def is_caught_up(self) -> bool:
        """Whether all partitions of this worker were read to their ends, lately."""
        return self._lag.is_known and bool(self._mine) and not self.behind

    def look_again(self, topic: str, partition: int) -> None:
        """Go on with this partition where the store says then: another reader has moved it.

        If the partition is another worker's meanwhile, the next poll tells, and it is given up.
        """
        self._mine.pop(TopicPartition(topic, partition), None)
        self._notes.put(("assigned", frozenset({TopicPartition(topic, partition)})))

    def _batches(
        self, consumer: KafkaConsumer, partition: TopicPartition, chunk: Any, batch_records: int
    ) -> Iterator[Batch]:
        records = [to_wire(record) for record in chunk]
        limits = {"batch_records": batch_records, "batch_bytes": BATCH_BYTES}
        for batch in split_batches(records, self._lag.records, **limits):
            if partition not in self._mine:
                return
            self._mine[partition] = batch.records[-1].offset + 1
            yield batch
            # For tools that show lag; what counts is the offset in the store.
            done = {partition: OffsetAndMetadata(batch.records[-1].offset + 1, "", -1)}
            consumer.commit_async(done)

    def _take_notes(self, consumer: KafkaConsumer, resume: Resume) -> Iterator[DataLoss]:
        """Give up what was revoked, begin what was assigned where the store says; yield losses."""
        while not self._notes.empty():
            kind, partitions = self._notes.get()
            if kind == "gone":
                for partition in partitions:
                    self._mine.pop(partition, None)
                continue
            for partition in partitions & consumer.assignment():
                wanted = resume(partition.topic, partition.partition)
                held = _held(consumer, partition)
                loss = lost(held, wanted, self._on_data_loss)
                if loss is not None:
                    yield loss
                start = held.first if wanted is None else wanted
                self._mine[partition] = start if loss is None else loss.read_from
                consumer.seek(partition, self._mine[partition])
                consumer.resume(partition)

    def _gaps(self, consumer: KafkaConsumer, polled: Mapping[Any, Any]) -> Iterator[DataLoss]:
        """Yield what retention took before it was read: the client goes on without a word then."""
        for partition, chunk in polled.items():
            wanted = self._mine.get(partition)
            if wanted is not None and chunk and chunk[0].offset > wanted:
                loss = lost(_held(consumer, partition), wanted, self._on_data_loss)
                if loss is not None:
                    yield loss._replace(read_from=chunk[0].offset)

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
                **{"max_poll_interval_ms": PATIENCE_MS, **self._client_options},
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


def _held(consumer: KafkaConsumer, partition: TopicPartition) -> Held:
    first = consumer.beginning_offsets([partition])[partition]
    end = consumer.end_offsets([partition])[partition]
    return Held(partition.topic, partition.partition, first, end)


class _Lag:
    """How many records are still to come; the broker is asked about once a second."""

    def __init__(self) -> None:
        self.records = 0
        self.behind: frozenset[tuple[str, int]] = frozenset()
        self.is_known = False
        self._asked = 0.0

    def measured(self, consumer: KafkaConsumer, mine: Iterable[TopicPartition]) -> int:
        """Return how many records these partitions hold beyond what was fetched."""
        if time.monotonic() - self._asked < LAG_SECONDS:
            return self.records
        self._asked = time.monotonic()
        partitions = list(mine)
        try:
            ends = consumer.end_offsets(partitions) if partitions else {}
        except KafkaError:
            self.is_known = False  # the broker is away: polling will tell for how long
            return self.records
        lags = {one: max(0, ends[one] - consumer.position(one)) for one in partitions}
        self.records = sum(lags.values())
        self.behind = frozenset((one.topic, one.partition) for one, lag in lags.items() if lag)
        self.is_known = True
        return self.records


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
