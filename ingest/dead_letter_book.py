"""The book of dead letters: list them, show one, try them again, send them to a topic."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

import orjson

from tracemill.errors import StoreError
from tracemill.ingest.batch_rows import write_batch
from tracemill.ingest.decoded import Context, Decoded, RejectClass
from tracemill.ingest.options import IngestOptions
from tracemill.ingest.prepared import prepare
from tracemill.ingest.redact import Redactor, load_key
from tracemill.ingest.run import topic_options
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store
from tracemill.ingest.wire import WireRecord

PAGE = 200
"""Letters that are tried again in one transaction."""
MIRROR_PAGE = 50
"""Letters that are sent to a topic together; each may be a megabyte."""


class Letter(NamedTuple):
    """A dead letter, without its bytes."""

    id: str
    topic: str
    partition: int
    offset: int
    path: str
    """Place within the record; empty: the whole."""
    reject_class: RejectClass
    reason: str
    decoder: str
    recorded_at: datetime
    attempts: int
    value_bytes: int
    """Size of the value as it came."""
    replayed_at: datetime | None


class FullLetter(NamedTuple):
    """A dead letter, with what is kept of its record."""

    letter: Letter
    timestamp_ms: int
    key: bytes | None
    headers: tuple[tuple[str, bytes], ...]
    value: bytes | None
    """Redacted; None if it was too large, or compressed."""
    value_sha256: str
    """Of the value as it came."""

    @property
    def record(self) -> WireRecord:
        """The record as far as it is kept."""
        one = self.letter
        return WireRecord(
            one.topic, one.partition, one.offset, self.timestamp_ms, self.key, self.value,
            self.headers,
        )  # fmt: skip


class Replayed(NamedTuple):
    """What became of dead letters that were tried again."""

    recovered: int
    still_dead: int
    not_kept: int
    """Their bytes are not in the store, and nobody could fetch them."""
    forgotten: int = 0
    """Traces, judgements and letters in them of users who were forgotten: these are not written."""


Fetch = Callable[[str, int, int], WireRecord | None]
"""The record at (topic, partition, offset) as its source still holds it; None if it does not."""


class Sender(Protocol):
    """What takes records for a topic, such as `tracemill.ingest.topic.Producer`."""

    def send(
        self,
        topic: str,
        value: bytes | None,
        *,
        key: bytes | None,
        headers: Sequence[tuple[str, bytes]],
    ) -> None:
        """Take one record."""

    def flush(self) -> int:
        """Wait until all are acknowledged."""


def list_dead_letters(
    store: Store, *, reject_class: RejectClass | None = None, limit: int = 100
) -> tuple[Letter, ...]:
    """Return the newest dead letters, of one class if one is named."""
    rows = store.execute(statement(__file__, "dead_letters_listed"), [reject_class, limit])
    return tuple(Letter(*row) for row in rows)


def count_dead_letters(store: Store) -> tuple[tuple[RejectClass, str, int], ...]:
    """Return (class, reason, number) of those that wait, most first."""
    return tuple(store.execute(statement(__file__, "dead_letters_counted")))


def show_dead_letter(store: Store, letter_id: str) -> FullLetter:
    """Return the dead letter whose id begins so.

    Raises StoreError if there is none, or several.
    """
    rows = store.execute(statement(__file__, "dead_letter_by_id"), [letter_id])
    if len(rows) != 1:
        found = "several dead letters begin" if rows else "no dead letter begins"
        raise StoreError(f"{found.capitalize()} with {letter_id!r}: list them to see their ids.")
    return _full(rows[0])


def _full(row: tuple[object, ...]) -> FullLetter:
    timestamp_ms, key, headers, value, sha256 = row[12:]
    named = orjson.loads(str(headers))
    return FullLetter(
        Letter(*row[:12]),  # type: ignore[arg-type]  # as selected
        int(timestamp_ms),  # type: ignore[call-overload]  # an integer column
        key,  # type: ignore[arg-type]  # a blob
        tuple((name, text.encode()) for name, text in named),
        value,  # type: ignore[arg-type]  # a blob
        str(sha256),
    )


def replay_dead_letters(
    store: Store,
    *,
    options: IngestOptions,
    now: datetime,
    ids: Iterable[str] = (),
    fetch: Fetch | None = None,
) -> Replayed:
    """Try the named letters (or all that wait) again, with the decoders and settings of today.

    A letter whose bytes were not kept is fetched from its source if `fetch` can.
    """
    wanted = list(ids)
    rows = store.execute(statement(__file__, "dead_letters_waiting"), [wanted, wanted])
    key_file = options.redaction.key_file or store.path.with_name("redaction.key")
    redactor = Redactor(load_key(key_file), options.redaction)
    recovered = still_dead = not_kept = forgotten = 0
    for first in range(0, len(rows), PAGE):
        page = [_full(row) for row in rows[first : first + PAGE]]
        found = [(one, record) for one in page if (record := _record(one, fetch)) is not None]
        tried = prepare(
            Context(record, redactor, topic_options(options, record.topic)) for _, record in found
        )
        sound = [
            one.letter.id
            for (one, _), (_, decoded) in zip(found, tried.decoded, strict=True)
            if not _rejects(one, decoded)
        ]
        with store.transaction():
            written = write_batch(store, tried, options=options, redactor=redactor, now=now)
            store.execute(statement(__file__, "dead_letters_replayed"), [now, sound])
        recovered += len(sound)
        still_dead += len(found) - len(sound)
        not_kept += len(page) - len(found)
        forgotten += written.forgotten
    return Replayed(recovered, still_dead, not_kept, forgotten)


def _record(letter: FullLetter, fetch: Fetch | None) -> WireRecord | None:
    if letter.value is not None:
        return letter.record
    place = (letter.letter.topic, letter.letter.partition, letter.letter.offset)
    return None if fetch is None else fetch(*place)


def _rejects(letter: FullLetter, decoded: Decoded) -> bool:
    """Whether the part that the letter speaks of is rejected again."""
    return any(reject.path in ("", letter.letter.path) for reject in decoded.rejects)


def mirror_dead_letters(store: Store, sender: Sender, topic: str, *, now: datetime) -> int:
    """Send the letters that were not sent yet to a topic, and return how many there were.

    The bytes are those of the store, redacted; headers say why, as Kafka Connect's do. What is
    sent is noted page by page, once the broker has it: a crash in between sends a page twice, and
    what a broker that is away did not take is sent the next time.
    """
    sent = 0
    while rows := store.execute(statement(__file__, "dead_letters_unmirrored"), [MIRROR_PAGE]):
        letters = [_full(row) for row in rows]
        for one in letters:
            key = one.key or one.letter.id.encode()
            sender.send(topic, one.value, key=key, headers=_headers(one))
        sender.flush()
        ids = [one.letter.id for one in letters]
        store.execute(statement(__file__, "dead_letters_mirrored"), [now, ids])
        sent += len(letters)
    return sent


def waits_for_mirror(store: Store) -> bool:
    """Return whether any dead letter was not sent to a topic yet."""
    return bool(store.execute(statement(__file__, "dead_letters_unmirrored"), [1]))


def _headers(one: FullLetter) -> list[tuple[str, bytes]]:
    prefix, letter = "__connect.errors.", one.letter
    named = {
        "topic": letter.topic,
        "partition": str(letter.partition),
        "offset": str(letter.offset),
        "stage": "VALUE_CONVERTER",
        "class.name": letter.decoder,
        "exception.class.name": letter.reject_class,
        "exception.message": letter.reason,
    }
    ours = [("tracemill.dead-letter.id", letter.id), ("tracemill.dead-letter.path", letter.path)]
    ours += [(prefix + name, text) for name, text in named.items()]
    return [*one.headers, *((name, text.encode()) for name, text in ours)]
