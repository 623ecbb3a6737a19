"""ingest: read a source until caught up, each batch in one transaction with its offsets.

Whatever dies and whenever, the store holds either all of a batch (its traces, spans, feedback and
dead letters, and the offsets behind it) or nothing of it, so a record is counted once.
"""

import gc
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tracemill.errors import FencedError, StoreBusyError
from tracemill.ingest.batch_rows import write_batch, write_losses
from tracemill.ingest.closing import Closed, close_all, close_due
from tracemill.ingest.decoded import Context
from tracemill.ingest.offsets import Offsets
from tracemill.ingest.old_spans import drop_old_spans
from tracemill.ingest.options import IngestOptions, TopicOptions
from tracemill.ingest.prepared import Prepared, prepare
from tracemill.ingest.redact import Redactor, load_key
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store
from tracemill.ingest.wire import Batch, Source, WireRecord
from tracemill.record import Record

REFIT = 50_000
"""Records after which the store's cache is measured anew."""
RENEWAL = 15_000
"""Records after which the store is opened anew."""
UPKEEP = timedelta(hours=1)
"""How often a run that goes on looks for old spans."""
ATTEMPTS = 20
"""To commit a batch while another worker of this process writes to the same rows."""


class IngestReport(Record):
    """What a run has done so far."""

    records: int = 0
    bytes: int = 0
    """Of values, as they came."""
    spans: int = 0
    traces: int = 0
    """New ones; `revised` counts those that were there and changed."""
    revised: int = 0
    feedback: int = 0
    dead_letters: int = 0
    mirrored: int = 0
    """Dead letters that were sent to their topic, those of earlier runs too."""
    skipped: int = 0
    """Empty records, and parts that hold nothing for us."""
    old_spans: int = 0
    """Spans of traces that were closed long ago, which are not kept any more."""
    lost: int = 0
    """Records that were deleted before they were read, where that was accepted."""
    forgotten: int = 0
    """Traces, judgements and dead letters of forgotten users, which were not written."""
    open_traces: int = 0
    lag: int = 0
    """Records still to come."""
    seconds: float = 0.0


def ingest(
    source: Source,
    store: Store,
    *,
    options: IngestOptions,
    now: Callable[[], datetime],
    progress: Callable[[IngestReport], None] | None = None,
    close_all: bool = False,
) -> IngestReport:
    """Read what the source holds at the start, then close what is due, and return what was done.

    `close_all` closes every open trace at the end: for a backfill, after which nothing comes.
    A long run lets go of the store now and then, and what others have read in that moment is not read
    again. Raises SourceUnavailableError, StoreError (a full disk), FencedError if another worker reads
    the same, or StoreLockedError if a process that had its turn keeps the store; what was committed
    before stays, and the next run goes on from there.
    """
    worker = Worker(store, options, now)
    with small_footprint(store):
        while not _read_on(source, store, worker, options.batch_records, progress):
            pass
        worker.finish(close_everything=close_all)
        store.checkpoint()
    if progress is not None:
        progress(worker.report)
    return worker.report


def _read_on(
    source: Source,
    store: Store,
    worker: "Worker",
    batch_records: int,
    progress: Callable[[IngestReport], None] | None,
) -> bool:
    """Take the source's batches, and return whether that was all.

    Where another process has read on while the store was free, it was not.
    """
    renewed_at = began_at = worker.report.records
    try:
        for batch in source.read(worker.offsets.resume, batch_records):
            worker.take(batch)
            if worker.report.records - renewed_at >= RENEWAL:
                store.renew()
                renewed_at = worker.report.records
            if progress is not None:
                progress(worker.report)
    except FencedError:
        if renewed_at == began_at:
            raise
        return False
    return True


@contextmanager
def small_footprint(store: Store) -> Iterator[None]:
    """Keep the store's cache small inside, and collect garbage rarely."""
    with garbage_collected_rarely():
        store.shrink_cache()
        try:
            yield
        finally:
            if store.is_open:
                store.restore_cache()


@contextmanager
def garbage_collected_rarely() -> Iterator[None]:
    """Look for garbage seldom inside: hardly any of ours is in a circle."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(500_000, 50, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


class Worker:
    """One run over one source: takes its batches, and keeps count."""

    def __init__(self, store: Store, options: IngestOptions, now: Callable[[], datetime]) -> None:
        self._store = store
        self._options = options
        self._now = now
        key_file = options.redaction.key_file or store.path.with_name("redaction.key")
        self._redactor = Redactor(load_key(key_file), options.redaction)
        self._clocks: dict[tuple[str, int], int] = {}
        self._started = time.monotonic()
        self._topics: dict[str, TopicOptions] = {}
        self._looked_at = datetime.min.replace(tzinfo=UTC)
        self.offsets = Offsets(store)
        self.report = IngestReport()

    def take(self, batch: Batch) -> None:
        """Decode a batch, commit it, and close what is due by the records' own time."""
        self._commit(batch, prepare(map(self._context, batch.records)))
        if not batch.records:
            return
        for record in batch.records:
            place = (record.topic, record.partition)
            self._clocks[place] = max(self._clocks.get(place, 0), record.timestamp_ms)
        self._close(
            close_due(
                self._store,
                self._options,
                self._redactor,
                min(self._clocks.values()),
                self._now(),
            )
        )

    def finish(self, *, close_everything: bool) -> None:
        """Close what is due now that all that was there is read."""
        now = self._now()
        clock_ms = int(now.timestamp() * 1000)
        self._close(
            close_all(self._store, self._redactor, now)
            if close_everything
            else close_due(self._store, self._options, self._redactor, clock_ms, now)
        )
        self._count(lag=self.report.lag, old_spans=self._drop_old_spans(now))

    def _drop_old_spans(self, now: datetime) -> int:
        if now - self._looked_at < UPKEEP:
            return 0
        self._looked_at = now
        try:
            return drop_old_spans(self._store, keep_days=self._options.keep_spans_days, now=now)
        except StoreBusyError:
            return 0  # the other worker drops them

    def hold_clock_for(self, behind: Collection[tuple[str, int]]) -> None:
        """Let only these partitions hold the records' time back: others were read to their ends."""
        self._clocks = {place: ms for place, ms in self._clocks.items() if place in behind}

    def _context(self, record: WireRecord) -> Context:
        options = self._topics.get(record.topic)
        if options is None:
            options = self._topics[record.topic] = topic_options(self._options, record.topic)
        return Context(record, self._redactor, options)

    def _commit(self, batch: Batch, prepared: Prepared) -> None:
        for attempt in range(ATTEMPTS):
            try:
                return self._commit_once(batch, prepared)
            except StoreBusyError:
                time.sleep(0.01 * attempt)
        return self._commit_once(batch, prepared)

    def _commit_once(self, batch: Batch, prepared: Prepared) -> None:
        now = self._now()
        with self._store.transaction():
            self.offsets.advance(batch.records)
            rows = write_batch(
                self._store,
                prepared,
                options=self._options,
                redactor=self._redactor,
                now=now,
            )
            write_losses(self._store, batch.losses, now)
        self.offsets.confirm(batch.records)
        self._count(
            records=len(batch.records),
            bytes=sum(len(record.value or b"") for record in batch.records),
            spans=rows.spans,
            traces=rows.written.new,
            revised=rows.written.revised,
            feedback=rows.feedback,
            dead_letters=rows.dead_letters,
            skipped=rows.skipped,
            lost=sum(loss.records for loss in batch.losses),
            forgotten=rows.forgotten,
            lag=batch.lag,
        )

    def _close(self, closings: Iterable[Closed]) -> None:
        try:
            for closed in closings:
                self._count(
                    traces=closed.written.new,
                    revised=closed.written.revised,
                    dead_letters=closed.rejects,
                    skipped=closed.skipped,
                    forgotten=closed.forgotten,
                    lag=self.report.lag,
                )
        except StoreBusyError:
            return  # the other worker closes them, or the next batch finds them due again

    def _count(self, *, lag: int, **added: int) -> None:
        known = self.report
        if (known.records + added.get("records", 0)) // REFIT > known.records // REFIT:
            self._store.shrink_cache()  # to what the keys of so many more need
        open_traces = self._store.execute(statement(__file__, "open_traces_count"))[0][0]
        self.report = known.model_copy(
            update={
                **{name: getattr(known, name) + count for name, count in added.items()},
                "lag": lag,
                "open_traces": int(open_traces),
                "seconds": time.monotonic() - self._started,
            }
        )


def topic_options(options: IngestOptions, topic: str) -> TopicOptions:
    """Return what the settings say of a topic; of a file, what they say of its name or a folder."""
    if topic in options.topics:
        return options.topics[topic]
    if topic.startswith("file:"):
        path = Path(topic.removeprefix("file:").rpartition("#")[0])
        for name in (path.name, path.stem, *(folder.name for folder in path.parents)):
            if name and name in options.topics:
                return options.topics[name]
    return TopicOptions()
