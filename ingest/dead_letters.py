"""Dead letters: what could not become a trace, kept with its redacted bytes and the reason."""

import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import NamedTuple

import orjson

from tracemill.ingest.decoded import Reject
from tracemill.ingest.framing import GZIP, ZSTD
from tracemill.ingest.redact import Redactor
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store
from tracemill.ingest.wire import WireRecord
from tracemill.record import content_id

COLUMNS = (
    "id", "topic", "partition", "offset", "path", "reject_class", "reason", "decoder", "recorded_at",
    "timestamp_ms", "record_key", "headers", "record_value", "value_bytes", "value_sha256",
    "attempts",
)  # fmt: skip
KEPT_BYTES = 1_000_000
"""Of a longer value nothing is kept: half a record cannot be decoded again."""


class DeadLetter(NamedTuple):
    """A reject, and the record that it comes from."""

    record: WireRecord
    reject: Reject
    decoder: str


def write_dead_letters(
    store: Store, letters: Iterable[DeadLetter], redactor: Redactor, now: datetime
) -> None:
    """Add the letters to the store, redacted; one that is there counts another attempt."""
    found = {letter_id(one.record, one.reject.path): one for one in letters}
    tried = dict(
        store.execute(statement(__file__, "dead_letter_attempts"), [list(found)]) if found else ()
    )
    rows = [
        (name, *_row(one, redactor, now.astimezone(UTC)), tried.get(name, 0) + 1)
        for name, one in found.items()
    ]
    if rows:
        store.upsert("dead_letters", COLUMNS, rows)


def letter_id(record: WireRecord, path: str) -> str:
    """Return the id of a dead letter: equal for the same place on the wire."""
    return content_id("letter", [record.topic, record.partition, record.offset, path])


def _row(letter: DeadLetter, redactor: Redactor, now: datetime) -> tuple[object, ...]:
    record, reject = letter.record, letter.reject
    value = record.value or b""
    headers = [[name, (data or b"").decode("utf-8", "replace")] for name, data in record.headers]
    return (
        record.topic,
        record.partition,
        record.offset,
        reject.path,
        reject.reject_class,
        redactor.text(reject.reason.encode("utf-8", "replace").decode()),
        letter.decoder,
        now,
        record.timestamp_ms,
        None if record.key is None else redactor.raw(record.key),
        redactor.text(orjson.dumps(headers).decode()),
        _kept(value, redactor),
        len(value),
        hashlib.sha256(value).hexdigest(),
    )


def _kept(value: bytes, redactor: Redactor) -> bytes | None:
    """Return the bytes redacted; None where they are too many, or compressed and so unreadable."""
    if len(value) > KEPT_BYTES or value.startswith((GZIP, ZSTD)):
        return None
    return redactor.raw(value)
