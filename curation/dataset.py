"""Dataset: tasks, examples, pairs and the suite, frozen under the hash of their content.

The folder `<id>` holds a Parquet file for each kind of row and `manifest.json`, which says what
went in: the ranges on the wire, the detectors' versions, the settings and the seed. The same
input in any order gives the same bytes; when it was frozen stands apart, in `frozen_at.txt`.
"""

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tracemill.curation.contamination import guard
from tracemill.curation.draft import Draft
from tracemill.curation.options import CurationOptions
from tracemill.curation.parquet import read_records, write_records
from tracemill.curation.row_building import Rows
from tracemill.curation.rows import Example, Pair, Unpaired
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


@dataclass(frozen=True)
class Dataset:
    """A frozen dataset, read back from its folder."""

    id: str
    path: Path
    manifest: Manifest
    tasks: tuple[Task, ...]
    """Of the training side."""
    examples: tuple[Example, ...]
    pairs: tuple[Pair, ...]
    unpaired: tuple[Unpaired, ...]
    suite_tasks: tuple[Task, ...]
    """Held out: nothing within reach of them is trained on."""
    frozen_at: datetime


@dataclass(frozen=True)
class _Contents:
    tasks: tuple[Task, ...]
    examples: tuple[Example, ...]
    pairs: tuple[Pair, ...]
    unpaired: tuple[Unpaired, ...]
    suite: tuple[Task, ...]

    def counts(self) -> dict[str, int]:
        return {
            "tasks": len(self.tasks),
            "examples": len(self.examples),
            "pairs": len(self.pairs),
            "unpaired": len(self.unpaired),
            "suite": len(self.suite),
        }


def freeze(
    drafted: Draft, rows: Rows, *, folder: Path, options: CurationOptions, now: datetime
) -> Dataset:
    """Write the dataset below `folder`, under the hash of its content, and return it.

    A dataset that is there already is returned as it is. Raises ContaminationError, naming the
    row, where a training row is within reach of the suite.
    """
    tasks = sorted(drafted.tasks, key=lambda task: task.id)
    contents = _Contents(
        tasks=tuple(task for task in tasks if task.split == "train"),
        examples=tuple(sorted(rows.examples, key=lambda row: row.id)),
        pairs=tuple(sorted(rows.pairs, key=lambda row: row.id)),
        unpaired=tuple(sorted(rows.unpaired, key=lambda row: row.id)),
        suite=tuple(task for task in tasks if task.split == "heldout"),
    )
    guard(
        (*contents.examples, *contents.pairs, *contents.unpaired),
        contents.suite,
        near_duplicate=options.near_duplicate,
    )
    manifest = _manifest(drafted, rows, contents, options)
    path = folder / manifest.id
    if not path.exists():
        _write(path, contents, manifest, now)
    return load_dataset(path)


def load_dataset(path: Path) -> Dataset:
    """Return the dataset in this folder.

    Raises StoreError where the folder holds none, or not what its id says.
    """
    try:
        manifest = Manifest.from_json((path / "manifest.json").read_bytes())
        frozen_at = datetime.fromisoformat((path / "frozen_at.txt").read_text().strip())
        contents = _Contents(
            tasks=read_records(path / "tasks.parquet", Task),
            examples=read_records(path / "examples.parquet", Example),
            pairs=read_records(path / "pairs.parquet", Pair),
            unpaired=read_records(path / "unpaired.parquet", Unpaired),
            suite=read_records(path / "suite.parquet", Task),
        )
    except (OSError, ValueError) as error:
        raise StoreError(f"no dataset can be read from {str(path)!r}: {error}") from error
    if manifest.id != _identify(manifest, contents):
        raise StoreError(
            f"the dataset in {str(path)!r} was changed after it was frozen: its content is not "
            f"that of {manifest.id!r}; freeze it again"
        )
    return Dataset(
        id=manifest.id,
        path=path,
        manifest=manifest,
        tasks=contents.tasks,
        examples=contents.examples,
        pairs=contents.pairs,
        unpaired=contents.unpaired,
        suite_tasks=contents.suite,
        frozen_at=frozen_at,
    )


def _manifest(
    drafted: Draft, rows: Rows, contents: _Contents, options: CurationOptions
) -> Manifest:
    unnamed = Manifest(
        id="",
        traces=drafted.traces,
        sources=drafted.sources,
        detectors=drafted.detectors,
        options=options,
        counts=contents.counts(),
        refused=_all_refused(drafted, rows),
    )
    return unnamed.model_copy(update={"id": _identify(unnamed, contents)})


def _all_refused(drafted: Draft, rows: Rows) -> dict[str, int]:
    untried = Counter({"no reference, and the champion was not tried": len(drafted.unreferenced)})
    return dict(sorted((Counter(drafted.refused) + Counter(rows.refused) + untried).items()))


def _identify(manifest: Manifest, contents: _Contents) -> str:
    """The id that this content must have, whatever the manifest says."""
    kinds: tuple[Sequence[Record], ...] = (
        contents.tasks, contents.examples, contents.pairs, contents.unpaired, contents.suite
    )  # fmt: skip
    rows = [[record.model_dump(mode="json") for record in records] for records in kinds]
    described = manifest.model_copy(update={"id": ""}).model_dump(mode="json")
    return content_id("dataset", [described, rows])


def _write(path: Path, contents: _Contents, manifest: Manifest, now: datetime) -> None:
    """Write beside and move into place: a folder under its id is always whole."""
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
