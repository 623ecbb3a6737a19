"""Offsets: how far each partition was read, moved in the transaction that holds its rows."""

from collections.abc import Sequence

from tracemill.errors import FencedError
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store
from tracemill.ingest.wire import WireRecord


class Offsets:
    """The offsets as this reader believes them to be; another's move is noticed."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._expected: dict[tuple[str, int], int] = {}

    def resume(self, topic: str, partition: int) -> int | None:
        """Return the next offset to read; None if the partition was never read."""
        rows = self._store.execute(statement(__file__, "offset_known"), [topic, partition])
        if not rows:
            return None
        self._expected[topic, partition] = int(rows[0][0])
        return self._expected[topic, partition]

    def advance(self, records: Sequence[WireRecord]) -> None:
        """Move past these records; call it inside the transaction that writes their rows.

        Raises FencedError if another reader has moved one of the partitions meanwhile.
        """
        for place, (first, last) in _ranges(records).items():
            expected = self._expected.get(place)
            if expected is None:
                self._store.execute(statement(__file__, "offset_begin"), [*place, first])
                expected = first
            moved = self._store.execute(
                statement(__file__, "offset_advance"), [last + 1, *place, expected]
            )
            if not moved:
                raise FencedError(
                    f"Another worker reads partition {place[1]} of {place[0]!r}: this one wanted "
                    f"to go on from offset {expected}. Nothing of its batch was kept; let one "
                    "worker read a partition, or start this one again."
                )

    def confirm(self, records: Sequence[WireRecord]) -> None:
        """Believe the moves, once the transaction is committed."""
        for place, (_, last) in _ranges(records).items():
            self._expected[place] = last + 1


def _ranges(records: Sequence[WireRecord]) -> dict[tuple[str, int], tuple[int, int]]:
    """Return the first and last offset of each (topic, partition)."""
    ranges: dict[tuple[str, int], tuple[int, int]] = {}
    for record in records:
        place = (record.topic, record.partition)
        first, _ = ranges.get(place, (record.offset, 0))
        ranges[place] = (first, record.offset)
    return ranges
