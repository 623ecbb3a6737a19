"""WireRecord: one record as it came, before anything is known of its content."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol


class WireRecord(NamedTuple):
    """One record of a topic, or one line or element of a file."""

    topic: str
    partition: int
    offset: int
    timestamp_ms: int
    key: bytes | None
    value: bytes | None
    """None is a tombstone."""
    headers: tuple[tuple[str, bytes | None], ...] = ()

    def header(self, name: str) -> bytes | None:
        """Return the last header of this name, or None."""
        return next((value for key, value in reversed(self.headers) if key == name), None)


class DataLoss(NamedTuple):
    """Records that can no longer be read, and where reading went on by the team's choice."""

    topic: str
    partition: int
    wanted: int
    """Offset that was to be read next."""
    read_from: int
    records: int
    """How many are known to be lost; 0 where nobody knows."""
    reason: str


class Batch(NamedTuple):
    """Records that are committed together."""

    records: Sequence[WireRecord]
    lag: int
    """Records that were there at the start of the run and are still to come after these."""
    losses: tuple[DataLoss, ...] = ()


Resume = Callable[[str, int], int | None]
"""The next offset to read of (topic, partition); None: from its beginning."""


class Source(Protocol):
    """Where records come from: Kafka topics, or files."""

    def read(self, resume: Resume, batch_records: int) -> Iterator[Batch]:
        """Yield what was there at the start, from where `resume` says, in batches.

        Raises SourceUnavailableError, with what to do, if that is not possible.
        """
        ...


def split_batches(
    records: Sequence[WireRecord], lag: int, *, batch_records: int, batch_bytes: int
) -> Iterator[Batch]:
    """Yield the records in order in batches within both limits (of one record at least)."""
    first = size = 0
    for index, record in enumerate(records):
        value_size = len(record.value or b"")
        if index > first and (index - first >= batch_records or size + value_size > batch_bytes):
            yield Batch(records[first:index], lag + len(records) - index)
            first, size = index, 0
        size += value_size
    if first < len(records):
        yield Batch(records[first:], lag)
