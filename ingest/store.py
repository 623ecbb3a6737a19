"""The store: one DuckDB file with one writer, behind one small class.

Traces and feedback are written by ingest; other stages keep tables of their own through
`execute`, `append` and `upsert`. A file has one process at a time (DuckDB's rule), and a Store
belongs to one thread. Extensions are never loaded: that would reach for the network.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

import duckdb
import zstandard

from tracemill.errors import StoreBusyError, StoreError, StoreLockedError
from tracemill.ingest.statement import statement
from tracemill.ingest.trace import Feedback, Trace

CACHE_MB = 64
CACHE_MB_BESIDE_KEYS = 48
CACHE_BYTES_OF_A_KEY = 100
"""Of a primary key, which stays in memory: 81 were measured."""
OTHERS_SECONDS = 600.0
"""How long another process may have a file that was free for a moment."""
ASK_AGAIN_SECONDS = 0.05
"""Whether a file that another process holds is free."""
PAGE = 200
"""Traces held in memory at once while reading."""
EVER = (0, 2**63 - 1)
"""The first and the last commit that there can be."""


class Store:
    """The DuckDB file at `path`, made with its folder if it is not there.

    `wait_seconds` is how long to wait for another process that holds the file. Raises
    StoreLockedError if it still does then, StoreError if the file is no store.
    """

    def __init__(
        self, path: Path, *, memory_mb: int = 256, threads: int = 1, wait_seconds: float = 0.0
    ) -> None:
        self.path = path
        self._memory_mb = memory_mb
        self._threads = threads
        self._in_transaction = False
        self.is_open = False
        self.reopen(wait_seconds=wait_seconds)

    def reopen(self, *, wait_seconds: float = 0.0) -> None:
        """Hold the file again after `close`; raises as the constructor does."""
        deadline = time.monotonic() + wait_seconds
        while True:
            try:
                self._connection = _connect(self.path, self._memory_mb, self._threads)
                break
            except StoreLockedError:
                if time.monotonic() >= deadline:
                    raise
                time.sleep(ASK_AGAIN_SECONDS)
        self.is_open = True
        self._connection.execute("SET TimeZone = 'UTC'")
        with self.transaction():
            if self.execute(statement(__file__, "store_is_old")):
                self.execute(statement(__file__, "store_made_new"))
            self.execute(statement(__file__, "schema"))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the file; a transaction that is open is undone."""
        self._connection.close()
        self.is_open = False

    def renew(self) -> None:
        """Let go of what DuckDB remembers of where it wrote what: 10 kB for each MB of rows.

        The file is free for a moment, so a process that waits for it has it first. Raises
        StoreLockedError if that one does not give it back within OTHERS_SECONDS.
        """
        self.close()
        self.reopen(wait_seconds=OTHERS_SECONDS)
        self.shrink_cache()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit what happens inside all at once, or nothing of it if anything is raised.

        Raises StoreError if one is open, StoreBusyError if another worker changed the same rows.
        """
        if self._in_transaction:
            raise StoreError("A transaction is open in this store: they do not nest.")
        self._connection.begin()
        self._in_transaction = True
        try:
            yield
            with self._named_errors():
                self._connection.commit()
        except BaseException:
            self._rollback()
            raise
        finally:
            self._in_transaction = False

    def shrink_cache(self) -> None:
        """Hold less of the file in memory: writing needs the keys that are there, and little more.

        Rows that were written are not moved together meanwhile: that writes a large table anew.
        """
        ((keys,),) = self.execute(statement(__file__, "store_keys"))
        needed_mb = max(CACHE_MB, CACHE_MB_BESIDE_KEYS + keys * CACHE_BYTES_OF_A_KEY // 1_000_000)
        self.execute(f"SET memory_limit = '{min(needed_mb, self._memory_mb)}MB'")
        self.execute("SET max_vacuum_tasks = 0")

    def checkpoint(self) -> None:
        """Move what is in the log into the file, which takes more memory where the cache is large.

        While another worker of this process writes it does nothing: that one will do it.
        """
        with self._named_errors(), suppress(duckdb.TransactionException):
            self._connection.execute("CHECKPOINT")

    def restore_cache(self) -> None:
        """Hold as much in memory as the store was opened with."""
        self.execute("RESET max_vacuum_tasks")
        self.execute(f"SET memory_limit = '{self._memory_mb}MB'")

    def _rollback(self) -> None:
        try:
            self._connection.rollback()
        except duckdb.Error:
            # A failed commit has rolled back by itself; after a fatal error nothing is left to do.
            return

    def execute(self, sql: str, params: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Return all rows of the (last) statement; an empty list if it has none.

        Raises StoreError with DuckDB's words if it fails.
        """
        with self._named_errors():
            return self._connection.execute(sql, list(params)).fetchall()

    def append(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Insert the rows, many times faster than INSERT does."""
        self._write(table, columns, rows, "insert")

    def upsert(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Insert the rows; those whose primary key is there replace the columns named."""
        self._write(table, columns, rows, "upsert")

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except duckdb.Error as error:
            changed = isinstance(error, duckdb.TransactionException) and "onflict" in str(error)
            if changed or (self._in_transaction and "uplicate key" in str(error)):
                raise StoreBusyError(
                    f"Another worker wrote the same rows of {str(self.path)!r}: {error}"
                ) from error
            raise StoreError(f"The store {str(self.path)!r} refused: {error}") from error

    def _write(
        self,
        table: str,
        columns: Sequence[str],
        rows: Iterable[Sequence[object]],
        action: Literal["insert", "upsert"],
    ) -> None:
        with (
            self._named_errors(),
            self._connection.appender(table, columns=list(columns), action=action) as appender,
        ):
            appender.append_rows(rows)

    def next_change(self) -> int:
        """Take the number of this commit; call it once, inside the transaction."""
        return int(self.execute(statement(__file__, "next_change"))[0][0])

    def last_change(self) -> int:
        """Return the number of the last commit that wrote or revised a trace; 0 if none did."""
        return int(self.execute(statement(__file__, "last_change"))[0][0])

    def trace(self, trace_id: str) -> Trace | None:
        """Return the trace with the feedback known of it, or None."""
        return next(iter(self.read_traces([trace_id])), None)

    def read_traces(
        self, ids: Iterable[str], *, changed: tuple[int, int] = EVER
    ) -> tuple[Trace, ...]:
        """Return those of the named traces that are there, in order of ingestion.

        Who knows the first and last commit that left them says so in `changed`: then only that
        part of the store is looked at.
        """
        rows = self.execute(statement(__file__, "traces_by_id"), [list(ids), *changed])
        return self._with_feedback([unpack_trace(body) for (body,) in rows])

    def traces(self, *, changed_since: int = 0) -> Iterator[Trace]:
        """Yield the traces that commits after number `changed_since` left, in order of ingestion.

        Writing to the store meanwhile is safe; a trace that is changed meanwhile may come again.
        """
        pages = _pages(self.execute(statement(__file__, "changes_since"), [changed_since]))
        for first, last in pages:
            rows = self.execute(statement(__file__, "traces_changed_between"), [first, last])
            yield from self._with_feedback([unpack_trace(body) for (body,) in rows])

    def _with_feedback(self, traces: Sequence[Trace]) -> tuple[Trace, ...]:
        rows = self.execute(statement(__file__, "feedback_of"), [[t.id for t in traces]])
        said: dict[str, list[Feedback]] = {}
        for trace_id, body in rows:
            said.setdefault(trace_id, []).append(Feedback.from_json(body))
        return tuple(
            trace.model_copy(update={"feedback": tuple(said[trace.id])})
            if trace.id in said
            else trace
            for trace in traces
        )


def pack_trace(trace: Trace) -> bytes:
    """Return the trace as a row keeps it: a transcript repeats itself, so a tenth of its JSON."""
    return pack_json(trace.to_json())


def pack_json(text: str) -> bytes:
    """Return the JSON of a trace as a row keeps it."""
    return new_packer().compress(text.encode())


def new_packer() -> zstandard.ZstdCompressor:
    """Return what packs JSON as rows keep it; one for many rows is faster than one for each."""
    return zstandard.ZstdCompressor(level=1)


def unpack_trace(body: bytes) -> Trace:
    """Return the trace that `pack_trace` (or `Trace.to_json`) wrote."""
    return Trace.from_json(unpack_json(body))


def unpack_json(body: bytes) -> bytes:
    """Return the JSON that a packer packed, or that was never packed."""
    return zstandard.decompress(body) if body.startswith(zstandard.FRAME_HEADER) else body


def _pages(changes: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield (first, last) ranges of commits that together hold about a page of traces."""
    first: int | None = None
    last = count = 0
    for change, traces in changes:
        first = change if first is None else first
        last, count = change, count + traces
        if count >= PAGE:
            yield first, last
            first, count = None, 0
    if first is not None:
        yield first, last


def _connect(path: Path, memory_mb: int, threads: int) -> duckdb.DuckDBPyConnection:
    config: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "memory_limit": f"{memory_mb}MB",
        "threads": threads,
    }
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return duckdb.connect(str(path), config=config)
    except duckdb.IOException as error:
        if "lock" in str(error):
            raise StoreLockedError(
                f"Another process holds the store {str(path)!r} ({_holder(error)}): "
                "wait until it ends, or stop it; one process at a time can open the file."
            ) from error
        raise StoreError(f"The store {str(path)!r} cannot be opened: {error}") from error
    except (OSError, duckdb.Error) as error:
        raise StoreError(f"The store {str(path)!r} cannot be opened: {error}") from error


def _holder(error: duckdb.IOException) -> str:
    """Return `PID 123` as DuckDB tells it, or that it does not."""
    _, found, rest = str(error).partition("(PID ")
    return f"PID {rest.partition(')')[0]}" if found else "its process id is unknown"
