"""Dataset: tasks, examples, pairs and the suite, frozen under the hash of their content.

The folder `<id>` holds a Parquet file for each kind of row and `manifest.json`, which says what
went in: the ranges on the wire, the detectors' versions, the settings and the seed. The same
input in any order gives the same bytes; when it was frozen stands apart, in `frozen_at.txt`.
"""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from tracemill.curation.contamination import guard
from tracemill.curation.dataset_contents import (
    Contents,
    Manifest,
    named,
    read_contents,
    read_manifest,
    write_contents,
)
from tracemill.curation.draft import Draft
from tracemill.curation.options import CurationOptions
from tracemill.curation.row_building import Rows
from tracemill.curation.rows import Example, Pair, Unpaired
from tracemill.curation.task import Task

__all__ = ["Dataset", "Manifest", "freeze", "load_dataset"]


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


def freeze(
    drafted: Draft, rows: Rows, *, folder: Path, options: CurationOptions, now: datetime
) -> Dataset:
    """Write the dataset below `folder`, under the hash of its content, and return it.

    A dataset that is there already is returned as it is. Raises ContaminationError, naming the
    row, where a training row is within reach of the suite.
    """
    tasks = sorted(drafted.tasks, key=lambda task: task.id)
    contents = Contents(
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
        write_contents(path, contents, manifest, now)
    return load_dataset(path)


def load_dataset(path: Path) -> Dataset:
    """Return the dataset in this folder.

    Raises StoreError where the folder holds none, or not what its id says.
    """
    manifest, contents = read_manifest(path), read_contents(path)
    return Dataset(
        id=manifest.id,
        path=path,
        manifest=manifest,
        tasks=contents.tasks,
        examples=contents.examples,
        pairs=contents.pairs,
        unpaired=contents.unpaired,
        suite_tasks=contents.suite,
        frozen_at=datetime.fromisoformat((path / "frozen_at.txt").read_text().strip()),
    )


def _manifest(drafted: Draft, rows: Rows, contents: Contents, options: CurationOptions) -> Manifest:
    unnamed = Manifest(
        id="",
        traces=drafted.traces,
        sources=drafted.sources,
        detectors=drafted.detectors,
        options=options,
        counts={},
        refused=_all_refused(drafted, rows),
        repeats=drafted.repeats,
    )
    return named(unnamed, contents)


def _all_refused(drafted: Draft, rows: Rows) -> dict[str, int]:
    untried = Counter({"no reference, and the champion was not tried": len(drafted.unreferenced)})
    return dict(sorted((Counter(drafted.refused) + Counter(rows.refused) + untried).items()))
