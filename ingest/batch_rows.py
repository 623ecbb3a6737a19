"""Batch rows: all that a batch of decoded records becomes, written in the caller's transaction."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from tracemill.ingest.dead_letters import DeadLetter, write_dead_letters
from tracemill.ingest.decoded import Decoded
from tracemill.ingest.feedback_rows import join_waiting, write_feedback
from tracemill.ingest.forgotten import ForgottenUsers
from tracemill.ingest.fragments import write_fragments
from tracemill.ingest.options import IngestOptions
from tracemill.ingest.prepared import Prepared
from tracemill.ingest.ready_traces import write_ready
from tracemill.ingest.redact import Redactor
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store
from tracemill.ingest.trace import Feedback
from tracemill.ingest.trace_rows import Written, write_traces
from tracemill.ingest.wire import DataLoss, WireRecord

LOSS_COLUMNS = (
    "topic", "partition", "wanted", "read_from", "records", "reason", "recorded_at",
)  # fmt: skip


class Rows(NamedTuple):
    """What a batch became."""

    spans: int
    written: Written
    feedback: int
    dead_letters: int
    skipped: int
    forgotten: int
    """Traces, judgements and dead letters of forgotten users, which were not written."""


def write_batch(
    store: Store,
    prepared: Prepared,
    *,
    options: IngestOptions,
    redactor: Redactor,
    now: datetime,
) -> Rows:
    """Write spans, whole traces, feedback and dead letters; call it inside a transaction."""
    decoded, fragments = prepared.decoded, prepared.fragments
    gone = ForgottenUsers(store)
    if fragments:
        filed = write_fragments(store, fragments)
        write_ready(store, filed, gone.without_ready(prepared.ready), fragments)
    episodes = gone.without_episodes([episode for _, one in decoded for episode in one.episodes])
    feedback = gone.without_feedback(
        [_turned(said, options) for _, one in decoded for said in one.feedback]
    )
    letters = gone.without_letters(
        [DeadLetter(r, reject, one.decoder) for r, one in decoded for reject in one.rejects],
        redactor,
    )
    change = store.next_change() if episodes or feedback else 0
    written = write_traces(store, episodes, change) if episodes else Written()
    if written.change:
        join_waiting(store, change)
    if feedback:
        write_feedback(store, feedback, change)
    write_dead_letters(store, letters, redactor, now)
    _count_decoders(store, decoded)
    return Rows(
        spans=prepared.spans,
        written=written,
        feedback=len(feedback),
        dead_letters=len(letters),
        skipped=sum(one.ignored for _, one in decoded) + written.unchanged,
        forgotten=gone.refused,
    )


def _count_decoders(store: Store, decoded: Sequence[tuple[WireRecord, Decoded]]) -> None:
    """Add which decoder won for how many records of each partition."""
    won = Counter((record.topic, record.partition, one.decoder) for record, one in decoded)
    for place, count in won.items():
        if not store.execute(statement(__file__, "decoders_used_more"), [count, *place]):
            store.execute(statement(__file__, "decoders_used_first"), [*place, count])


def decoders_used(store: Store) -> tuple[tuple[str, str, int], ...]:
    """Return (topic, decoder, records): how `auto` told what it read."""
    return tuple(store.execute(statement(__file__, "decoders_used_by_topic")))


def _turned(said: Feedback, options: IngestOptions) -> Feedback:
    """Return the feedback with 1 for good, whichever way its scale runs."""
    if said.score is None or said.name.lower() not in options.lower_is_better:
        return said
    return said.model_copy(update={"score": 1.0 - said.score})


def write_losses(store: Store, losses: Iterable[DataLoss], now: datetime) -> None:
    """Record what was lost on the wire by the team's choice; inside a transaction."""
    rows = [(*loss, now) for loss in losses]
    if rows:
        store.append("data_losses", LOSS_COLUMNS, rows)
