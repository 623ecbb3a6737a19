"""Dataset contents: the rows of a dataset and its manifest, as files under the hash of both."""

import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tracemill.curation.options import CurationOptions
from tracemill.curation.parquet import read_records, write_records
from tracemill.curation.rows import Example, Pair, Unpaired
from tracemill.curation.selection import Repeat
from tracemill.curation.task import Task
from tracemill.errors import StoreError
from tracemill.ingest.trace import SourceRange
from tracemill.record import Record, content_id


class Manifest(Record):
    """What a dataset is made of."""

    id: str
    """`dataset-` and the hash of rows and of everything below."""
    traces: int
    """Traces that were read."""
    sources: tuple[SourceRange, ...]
    """Where on the wire they came from."""
    detectors: dict[str, int]
    """Detector → version."""
    options: CurationOptions
    """The settings, with the split's seed."""
    counts: dict[str, int]
    """Kind of row → rows."""
    refused: dict[str, int]
    """Reason → what was left out by it."""
    repeats: tuple[Repeat, ...] = ()
    """Which exact (at most some thousands) and near duplicates were left out, and of what."""


@dataclass(frozen=True)
class Contents:
    """Every row of a dataset, each kind ordered by id."""

    tasks: tuple[Task, ...]
    examples: tuple[Example, ...]
    pairs: tuple[Pair, ...]
    unpaired: tuple[Unpaired, ...]
    suite: tuple[Task, ...]
    """Held out."""

    def counts(self) -> dict[str, int]:
        """Return the number of rows of each kind."""
        return {
            "tasks": len(self.tasks),
            "examples": len(self.examples),
            "pairs": len(self.pairs),
            "unpaired": len(self.unpaired),
            "suite": len(self.suite),
        }


def named(manifest: Manifest, contents: Contents) -> Manifest:
    """Return the manifest with the counts and the id that this content must have."""
    counted = manifest.model_copy(update={"counts": contents.counts()})
    return counted.model_copy(update={"id": _identify(counted, contents)})


def _identify(manifest: Manifest, contents: Contents, *, as_written: bool = False) -> str:
    """The id that this content must have, whatever the manifest says.

    `as_written` looks at no field that its files do not hold: those came with a later version.
    """
    kinds: tuple[Sequence[Record], ...] = (
        contents.tasks, contents.examples, contents.pairs, contents.unpaired, contents.suite
    )  # fmt: skip
    rows = [
        [record.model_dump(mode="json", exclude_unset=as_written) for record in records]
        for records in kinds
    ]
    unnamed = manifest.model_copy(update={"id": ""})
    described = unnamed.model_dump(mode="json", exclude_unset=as_written)
    return content_id("dataset", [described, rows])


def read_manifest(path: Path) -> Manifest:
    """Return the manifest of the dataset in this folder; StoreError where there is none."""
    try:
        return Manifest.from_json((path / "manifest.json").read_bytes())
    except (OSError, ValueError) as error:
        raise StoreError(f"no dataset can be read from {str(path)!r}: {error}") from error


def read_contents(path: Path) -> Contents:
    """Return the rows of the dataset in this folder.

    Raises StoreError where they cannot be read, or are not what the manifest's id says.
    """
    manifest = read_manifest(path)
    try:
        contents = Contents(
            tasks=read_records(path / "tasks.parquet", Task),
            examples=read_records(path / "examples.parquet", Example),
            pairs=read_records(path / "pairs.parquet", Pair),
            unpaired=read_records(path / "unpaired.parquet", Unpaired),
            suite=read_records(path / "suite.parquet", Task),
        )
    except (OSError, ValueError) as error:
        raise StoreError(f"no dataset can be read from {str(path)!r}: {error}") from error
    if manifest.id != _identify(manifest, contents, as_written=True):
        raise StoreError(
            f"the dataset in {str(path)!r} was changed after it was frozen: its content is not "
            f"that of {manifest.id!r}; freeze it again"
        )
    return contents


def write_contents(path: Path, contents: Contents, manifest: Manifest, now: datetime) -> None:
    """Write the folder beside and move it into place: under its id it is always whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix=".freezing-", dir=path.parent))
    try:
        write_records(beside / "tasks.parquet", Task, contents.tasks)
        write_records(beside / "examples.parquet", Example, contents.examples)
        write_records(beside / "pairs.parquet", Pair, contents.pairs)
        write_records(beside / "unpaired.parquet", Unpaired, contents.unpaired)
        write_records(beside / "suite.parquet", Task, contents.suite)
        (beside / "manifest.json").write_text(manifest.model_dump_json(indent=2) + "\n")
        (beside / "frozen_at.txt").write_text(now.astimezone(UTC).isoformat() + "\n")
        beside.chmod(0o755)
        os.replace(beside, path)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
