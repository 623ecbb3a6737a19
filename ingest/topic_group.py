"""KafkaGroup: several workers share the partitions of some topics, and one store their offsets.

Kafka's group decides who reads which partition; the store decides from where. A worker that lost a
partition without knowing it (it slept past its poll interval) is found out by the store's
compare-and-swap. Partitions come and go while the client is asked for records, on the same thread.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from tracemill.ingest.data_loss import Held, LossChoice, lost
from tracemill.ingest.topic import POLL_SECONDS, place_of, to_wire
from tracemill.ingest.topic_client import BATCH_BYTES, Cluster, Connected, Place, to_partitions
from tracemill.ingest.wire import Batch, DataLoss, Resume, WireRecord, split_batches

LAG_SECONDS = 1.0
LAG_ANSWER_SECONDS = 2.0


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

        Name a `group.instance.id` in `client_options` where a worker that dies should be replaced
        without waiting for its session to end. `on_data_loss` is as in KafkaSource.
        """
        self._cluster = Cluster(bootstrap_servers, client_options)
        self._topics = tuple(topics)
        self._group = group
        self.is_done = is_done
        self._on_data_loss = on_data_loss
        self._mine: dict[Place, int] = {}
        """Each partition of this worker, with the offset that is to come next of it."""
        self._astray: set[Place] = set()
        """Those of them whose next offset must be looked up anew."""
        self._losses: list[DataLoss] = []
        self._lag = _Lag()

    def read(self, resume: Resume, batch_records: int) -> Iterator[Batch]:
        """Yield what comes, from where `resume` says when a partition is assigned.

        A batch without records says that nothing came, and is yielded about twice a second then.
        Raises SourceUnavailableError if the broker is not reachable or refuses, or if what is to
        be read is gone and the choice is to refuse that.
        """
        with self._cluster.consumer(self._topics, self._group) as consumer:
            consumer.client.subscribe(
                list(self._topics),
                on_assign=partial(self._begin, consumer, resume),
                on_revoke=self._lose,
                on_lost=self._lose,
            )
            while not self.is_done():
                self._find_astray(consumer, resume)
                yield from self._round(consumer, batch_records)

    @property
    def behind(self) -> frozenset[Place]:
        """The partitions of this worker that hold more than was read, when that was last seen."""
        return self._lag.behind

    @property
    def is_caught_up(self) -> bool:
        """Whether all partitions of this worker were read to their ends, lately."""
        return self._lag.is_known and bool(self._mine) and not self.behind and not self._astray

    def look_again(self, topic: str, partition: int) -> None:
        """Go on with this partition where the store says then: another reader has moved it.

        If the partition is another worker's meanwhile, the next poll tells, and it is given up.
        """
        self._astray.add((topic, partition))

    def _round(self, consumer: Connected, batch_records: int) -> Iterator[Batch]:
        """Yield what one poll gives."""
        records, following = self._sort(consumer.take(batch_records, POLL_SECONDS))
        self._cluster.check()
        lag = self._lag.measured(consumer, following)
        losses, self._losses = tuple(self._losses), []
        if losses or not records:
            yield Batch((), lag, losses)
        for place, chunk in records.items():
            yield from self._batches(consumer.client, place, chunk, batch_records)
        for place in self._mine.keys() & following.keys() - self._astray:
            self._mine[place] = following[place]  # past gaps before an end, too

    def _sort(
        self, messages: Iterable[Message]
    ) -> tuple[dict[Place, list[WireRecord]], dict[Place, int]]:
        """Return the records of each partition, and what comes after them of this worker's.

        What is no longer this worker's is left out, and what was polled before a partition went
        and came back, and is polled again.
        """
        records: dict[Place, list[WireRecord]] = {}
        following = dict(self._mine)
        for message in messages:
            place, error = place_of(message), message.error()
            if error is not None and error.code() != KafkaError._PARTITION_EOF:
                self._hear(place, error)
            elif place in following and (offset := message.offset() or 0) >= following[place]:
                following[place] = offset
                if error is None:
                    records.setdefault(place, []).append(to_wire(message))
                    following[place] += 1
        return records, following

    def _hear(self, place: Place, error: KafkaError) -> None:
        if error.code() == KafkaError._AUTO_OFFSET_RESET:
            self._astray.add(place)
        else:
            self._cluster.bear(error)

    def _batches(
        self, client: Consumer, place: Place, records: Sequence[WireRecord], batch_records: int
    ) -> Iterator[Batch]:
        limits = {"batch_records": batch_records, "batch_bytes": BATCH_BYTES}
        for batch in split_batches(records, self._lag.records, **limits):
            if place not in self._mine or place in self._astray:
                return
            self._mine[place] = batch.records[-1].offset + 1
            yield batch
            # For tools that show lag; what counts is the offset in the store.
            done = to_partitions({place: batch.records[-1].offset + 1})
            with suppress(KafkaException):
                client.commit(offsets=done, asynchronous=True)

    def _begin(
        self,
        consumer: Connected,
        resume: Resume,
        client: Consumer,
        assigned: Sequence[TopicPartition],
    ) -> None:
        """Begin what was assigned where the store says."""
        places = [(one.topic, one.partition) for one in assigned]
        self._look_up(consumer, resume, places)
        begun = to_partitions({place: self._mine[place] for place in places})
        if self._is_cooperative:
            client.incremental_assign(begun)
        else:
            client.assign(begun)

    def _lose(self, client: Consumer, gone: Sequence[TopicPartition]) -> None:
        """Give up what another worker may have."""
        for one in gone:
            self._mine.pop((one.topic, one.partition), None)

    def _find_astray(self, consumer: Connected, resume: Resume) -> None:
        """Go on where the store says with those partitions that are still this worker's."""
        places = sorted(self._astray & self._mine.keys())
        self._astray.clear()
        if not places:
            return
        self._look_up(consumer, resume, places)
        self._lag = _Lag()
        found = to_partitions({place: self._mine[place] for place in places})
        if self._is_cooperative:
            consumer.client.incremental_unassign(found)
            consumer.client.incremental_assign(found)
        else:
            consumer.client.assign(to_partitions(self._mine))

    def _look_up(self, consumer: Connected, resume: Resume, places: Sequence[Place]) -> None:
        firsts, ends = consumer.firsts(places), consumer.ends(places)
        for place in places:
            wanted = resume(*place)
            held = Held(*place, firsts[place], ends[place])
            loss = lost(held, wanted, self._on_data_loss)
            self._losses += [] if loss is None else [loss]
            start = held.first if wanted is None else wanted
            self._mine[place] = start if loss is None else loss.read_from

    @property
    def _is_cooperative(self) -> bool:
        """Whether partitions come one by one, not all anew, with the group's protocol."""
        option = self._cluster.option
        strategy = str(option("partition.assignment.strategy"))
        return "cooperative" in strategy or option("group.protocol") == "consumer"


class _Lag:
    """How many records are still to come; the broker is asked about once a second."""

    def __init__(self) -> None:
        self.records = 0
        self.behind: frozenset[Place] = frozenset()
        self.is_known = False
        self._ends: dict[Place, int] = {}
        self._asked = 0.0

    def measured(self, consumer: Connected, following: Mapping[Place, int]) -> int:
        """Return how many records these partitions hold from these offsets on."""
        is_old = time.monotonic() - self._asked >= LAG_SECONDS
        if is_old or following.keys() != self._ends.keys():
            self._ask(consumer, following)
        if self.is_known:
            lags = {place: max(0, self._ends[place] - at) for place, at in following.items()}
            self.records = sum(lags.values())
            self.behind = frozenset(place for place, lag in lags.items() if lag)
        return self.records

    def _ask(self, consumer: Connected, places: Iterable[Place]) -> None:
        self._asked = time.monotonic()
        try:
            self._ends = consumer.ends(places, LAG_ANSWER_SECONDS)
        except KafkaException:
            self.is_known = False  # the broker is away: polling goes on until it is back
        else:
            self.is_known = True
