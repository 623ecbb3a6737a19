"""Compaction: the store in a new file, so that nothing that was deleted is left in the old one.

DuckDB keeps the blocks of deleted rows as they were until something else needs the room.
"""

import os
import time
from contextlib import suppress
from pathlib import Path

import duckdb

from tracemill.errors import StoreError, StoreLockedError
from tracemill.ingest.store import Store

MEMORY_MB = 512
SETTLE_SECONDS = 0.2
"""Whoever opened the old file a moment ago asks for its lock now, and must be refused."""


def compact(path: Path, *, wait_seconds: float = 0.0) -> None:
    """Replace the store's file by one that holds its rows and nothing else, in the same order.

    It needs room for both. Raises StoreLockedError if another process still holds the store after
    `wait_seconds`, StoreError if the new file cannot be written; the old one is as it was then.
    """
    deadline = time.monotonic() + wait_seconds
    while True:
        try:
            return _compact(path, max(0.0, deadline - time.monotonic()))
        except StoreLockedError:
            if time.monotonic() >= deadline:
                raise


def _compact(path: Path, wait_seconds: float) -> None:
    Store(path, wait_seconds=wait_seconds).close()  # what is in the log beside it goes into it
    beside = path.with_name(f".{path.name}.compacting")
    try:
        _remove(beside)  # what a run that was killed has left
        _copy(path, beside)
    except (OSError, duckdb.Error) as error:
        with suppress(OSError):
            _remove(beside)
        is_locked = isinstance(error, duckdb.IOException) and "lock" in str(error)
        kind = StoreLockedError if is_locked else StoreError
        raise kind(
            f"The store {str(path)!r} cannot be written anew, so its file may still hold what was "
            f"deleted: {error}. Forget the user again when there is room, and nobody has it open."
        ) from error


def _copy(path: Path, beside: Path) -> None:
    """Write the new file and move it into place; both are held until it is there."""
    config: dict[str, str | bool | int | float | list[str]] = {
        "threads": 1,
        "memory_limit": f"{MEMORY_MB}MB",
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
    }
    with duckdb.connect(":memory:", config=config) as connection:
        for name, file in (("before", path), ("after", beside)):
            connection.execute(f"ATTACH '{_quoted(file)}' AS {name}")
        connection.execute("COPY FROM DATABASE before TO after")
        connection.execute("CHECKPOINT after")
        os.replace(beside, path)
        time.sleep(SETTLE_SECONDS)
        connection.execute("DETACH before")
        connection.execute("DETACH after")


def _quoted(path: Path) -> str:
    """The path within a literal of SQL: ATTACH takes no parameters."""
    return str(path).replace("'", "''")


def _remove(beside: Path) -> None:
    for file in (beside, beside.with_name(f"{beside.name}.wal")):
        file.unlink(missing_ok=True)
