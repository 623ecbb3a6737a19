"""serve: one of several workers that share topics by a consumer group, until it is told to stop.

Workers of one process share one store; on several machines each has its own, which mining reads
side by side. A worker that is no longer the owner of a partition writes nothing of it. The store
is given back in between, so that other processes have their turn.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime

from tracemill.errors import FencedError, SourceUnavailableError, StoreLockedError
from tracemill.ingest.options import IngestOptions
from tracemill.ingest.run import IngestReport, Worker, garbage_collected_rarely
from tracemill.ingest.store import Store
from tracemill.ingest.topic_group import KafkaGroup
from tracemill.ingest.turns import Turns
from tracemill.ingest.wire import Batch

Mirror = Callable[[Store], int]
"""Sends the dead letters that wait, and returns how many there were."""


def serve(
    group: KafkaGroup,
    store: Store,
    *,
    options: IngestOptions,
    now: Callable[[], datetime],
    progress: Callable[[IngestReport], None] | None = None,
    mirror: Mirror | None = None,
) -> IngestReport:
    """Read what the group gives until it is done, and return what was done.

    Traces close by the records' time while records come, by the clock once all are read. The
    store is open at the end, unless another process had it when the worker was told to stop.
    Raises SourceUnavailableError, or StoreError (a full disk).
    """
    server = _Server(group, store, options, now, mirror)
    with garbage_collected_rarely():
        store.shrink_cache()
        try:
            for batch in group.read(server.resume, options.batch_records):
                server.take(batch)
                if progress is not None:
                    progress(server.report)
            server.end()
        except StoreLockedError:
            pass  # told to stop while others have the store: what was in hand is read again
    return server.report


class _Server:
    """One worker of a group: its batches, its turns, and what it does while nothing comes."""

    def __init__(
        self,
        group: KafkaGroup,
        store: Store,
        options: IngestOptions,
        now: Callable[[], datetime],
        mirror: Mirror | None,
    ) -> None:
        self._group = group
        self._store = store
        self._close_seconds = options.follow.close_seconds
        self._worker = Worker(store, options, now)
        self._turns = Turns(store, options.follow, group.is_done)
        self._mirror = mirror
        self._mirrored = 0
        self._closed_at = time.monotonic()
        self._lag = 0

    @property
    def report(self) -> IngestReport:
        """What was done so far."""
        return self._worker.report.model_copy(update={"lag": self._lag, "mirrored": self._mirrored})

    def resume(self, topic: str, partition: int) -> int | None:
        """Return where the store says that a partition goes on."""
        self._turns.take()
        return self._worker.offsets.resume(topic, partition)

    def take(self, batch: Batch) -> None:
        """Commit a batch, or use the time in which nothing comes."""
        self._lag = batch.lag
        if batch.records or batch.losses:
            self._turns.take()
            self._commit(batch)
            if self._turns.is_over:
                self._give()
        else:
            self._close_what_is_due()
            self._give()

    def end(self) -> None:
        """Close what is due, send the dead letters, and hold the store for the caller."""
        self._turns.take()
        if self._group.is_caught_up:
            self._worker.finish(close_everything=False)
        if self._mirror is not None:
            self._mirrored += self._mirror(self._store)
        self._store.checkpoint()
        self._store.restore_cache()

    def _commit(self, batch: Batch) -> None:
        self._worker.hold_clock_for(self._group.behind)
        try:
            self._worker.take(batch)
        except FencedError:
            for topic, partition in {(r.topic, r.partition) for r in batch.records}:
                self._group.look_again(topic, partition)

    def _close_what_is_due(self) -> None:
        is_time = time.monotonic() - self._closed_at >= self._close_seconds
        if is_time and self._group.is_caught_up:
            self._turns.take()
            self._worker.finish(close_everything=False)
            self._closed_at = time.monotonic()

    def _give(self) -> None:
        """Let others have the store; a broker that takes no dead letters now is asked again."""
        if self._turns.is_held and self._mirror is not None:
            with suppress(SourceUnavailableError):
                self._mirrored += self._mirror(self._store)
        self._turns.give()
