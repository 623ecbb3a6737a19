"""FileSource: records from files and folders, with the same ledger as topics.

A file is one JSON value (a list is one record an element, but for a
list of messages), JSON Lines, or bytes of another format
(one record); gzip and zstd are unpacked. Its name in the ledger is its path and a hash of its
beginning: a file that grows is read on, a rotated one is read from its start.
"""

import gzip
import hashlib
import io
from collections.abc import Iterator, Sequence
from glob import glob, has_magic
from pathlib import Path
from typing import BinaryIO, cast

import orjson
import zstandard

from tracemill.errors import SourceUnavailableError
from tracemill.ingest.wire import Batch, Resume, WireRecord, split_batches

BATCH_BYTES = 4_000_000
HEAD_BYTES = 4096
SUFFIXES = (".json", ".jsonl", ".ndjson", ".pb", ".gz", ".zst")
"""Of files that are read where a folder is named."""


class FileSource:
    """The files, folders and globs, read from where the store says to their ends."""

    def __init__(self, paths: Sequence[Path | str]) -> None:
        self.paths = tuple(paths)

    def read(self, resume: Resume, batch_records: int) -> Iterator[Batch]:
        """Yield the records of one file after another, from where `resume` says.

        Raises SourceUnavailableError if a file is not there or cannot be read.
        """
        for file in _find(self.paths):
            yield from _read_file(file, resume, batch_records)


def _find(paths: Sequence[Path | str]) -> list[Path]:
    found: list[Path] = []
    for path in paths:
        matches = sorted(glob(str(path), recursive=True)) if has_magic(str(path)) else [str(path)]
        files = [file for match in matches for file in _files_in(Path(match))]
        if not files:
            raise SourceUnavailableError(f"No file with traces at {str(path)!r}: check the path.")
        found += files
    return list(dict.fromkeys(found))


def _files_in(path: Path) -> list[Path]:
    if path.is_dir():
        return sorted(file for file in path.rglob("*") if file.suffix.lower() in SUFFIXES)
    return [path] if path.is_file() else []


def _read_file(file: Path, resume: Resume, batch_records: int) -> Iterator[Batch]:
    try:
        topic = f"file:{file.resolve()}#{_fingerprint(file)}"
        start = resume(topic, 0) or 0
        timestamp_ms = int(file.stat().st_mtime * 1000)
        waiting: list[WireRecord] = []
        size = 0
        for offset, value in enumerate(_values(file)):
            if offset < start:
                continue
            waiting.append(WireRecord(topic, 0, offset, timestamp_ms, None, value))
            size += len(value)
            if len(waiting) >= batch_records or size >= BATCH_BYTES:
                yield from _split(waiting, batch_records)
                waiting, size = [], 0
        yield from _split(waiting, batch_records)
    except (OSError, EOFError, zstandard.ZstdError) as error:
        raise SourceUnavailableError(
            f"The file {str(file)!r} cannot be read ({error}): what was read of it is kept."
        ) from error


def _split(records: Sequence[WireRecord], batch_records: int) -> Iterator[Batch]:
    return split_batches(records, 0, batch_records=batch_records, batch_bytes=BATCH_BYTES)


def _fingerprint(file: Path) -> str:
    """Return 8 hex digits of the hash of the first line, as far as it lies in the first 4 kB."""
    with _open(file) as stream:
        head = stream.read(HEAD_BYTES).partition(b"\n")[0]
    return hashlib.sha256(head).hexdigest()[:8]


def _open(file: Path) -> BinaryIO:
    with file.open("rb") as stream:
        magic = stream.read(4)
    if magic[:2] == b"\x1f\x8b":
        return cast(BinaryIO, gzip.open(file, "rb"))
    if magic == b"\x28\xb5\x2f\xfd":
        return io.BufferedReader(zstandard.open(file, "rb"))
    return file.open("rb")


def _values(file: Path) -> Iterator[bytes]:
    with _open(file) as stream:
        first_line = stream.readline()
    if _is_object(first_line):
        yield from _lines(file)
        return
    with _open(file) as stream:
        content = stream.read()
    try:
        whole = orjson.loads(content)
    except orjson.JSONDecodeError:
        # not one JSON value: lines of it, though the first is broken; else bytes of another kind
        has_lines = any(map(_is_object, content.split(b"\n")))
        yield from _lines(file) if has_lines else [content]
        return
    elements = whole if isinstance(whole, list) and not _is_conversation(whole) else [whole]
    yield from (orjson.dumps(element) for element in elements)


def _is_object(line: bytes) -> bool:
    if line.strip()[:1] not in (b"{", b"["):
        return False
    try:
        return isinstance(orjson.loads(line), dict)
    except orjson.JSONDecodeError:
        return False


def _is_conversation(elements: list[object]) -> bool:
    """Whether a list is the messages of one record, not a record each."""
    return bool(elements) and all(isinstance(e, dict) and "role" in e for e in elements)


def _lines(file: Path) -> Iterator[bytes]:
    """Yield the lines that are not empty, but for a last one that is still being written."""
    with _open(file) as stream:
        for line in stream:
            if line.isspace():
                continue
            if line.endswith(b"\n") or _is_json(line):
                yield line.strip()


def _is_json(line: bytes) -> bool:
    try:
        orjson.loads(line)
    except orjson.JSONDecodeError:
        return False
    return True
