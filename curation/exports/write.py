"""Write: a dataset into a folder, in one of the forms below.

Only the training side is ever written. The suite stays home.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple

import orjson
from pydantic import JsonValue

from tracemill.curation.dataset import Dataset
from tracemill.curation.exports import nemo_gym, openai, trl, verifiers_taskset
from tracemill.curation.exports.carrying import carried
from tracemill.record import Record

Form = Literal["trl", "openai", "together", "nemo-gym", "verifiers", "jsonl"]


class Exported(NamedTuple):
    """A file that was written."""

    path: Path
    rows: int


class Export(NamedTuple):
    """What was written, and what was not."""

    files: tuple[Exported, ...]
    """A kind of row that the dataset does not hold gives no file."""
    refused: dict[str, int]
    """Reason → tasks that the form's trainer cannot score as their checks say."""


def export(dataset: Dataset, form: Form, folder: Path) -> Export:
    """Write the dataset's training side in this form."""
    folder.mkdir(parents=True, exist_ok=True)
    form_lines = FORMS[form](dataset)
    written = [_write(folder / name, lines) for name, lines in form_lines.files.items() if lines]
    if form == "verifiers":
        (folder / "tracemill_tasks.py").write_text(verifiers_taskset.MODULE)
        (folder / "pyproject.toml").write_text(verifiers_taskset.PROJECT)
    return Export(tuple(written), dict(sorted(form_lines.refused.items())))


Lines = Sequence[dict[str, JsonValue]]


class FormLines(NamedTuple):
    """A dataset in one form."""

    files: dict[str, Lines]
    """By the file's name."""
    refused: Mapping[str, int] = MappingProxyType({})
    """Reason → tasks."""


def _trl(dataset: Dataset) -> FormLines:
    return FormLines(
        {
            "sft.jsonl": [trl.example_line(row) for row in dataset.examples],
            "dpo.jsonl": [trl.pair_line(row) for row in dataset.pairs],
            "kto.jsonl": [trl.unpaired_line(row) for row in dataset.unpaired],
        }
    )


def _openai(dataset: Dataset) -> FormLines:
    return FormLines(
        {
            "supervised.jsonl": [openai.example_line(row) for row in dataset.examples],
            "preference.jsonl": [openai.pair_line(row) for row in dataset.pairs],
        }
    )


def _nemo_gym(dataset: Dataset) -> FormLines:
    scorable = carried(dataset.tasks, nemo_gym.can_score)
    lines = [nemo_gym.task_line(task) for task in scorable.tasks]
    return FormLines({"tasks.jsonl": lines}, scorable.refused)


def _verifiers(dataset: Dataset) -> FormLines:
    scorable = carried(dataset.tasks, verifiers_taskset.can_score)
    lines = [verifiers_taskset.task_line(task) for task in scorable.tasks]
    return FormLines({"tasks.jsonl": lines}, scorable.refused)


def _jsonl(dataset: Dataset) -> FormLines:
    return FormLines(
        {
            "tasks.jsonl": _as_they_are(dataset.tasks),
            "examples.jsonl": _as_they_are(dataset.examples),
            "pairs.jsonl": _as_they_are(dataset.pairs),
            "unpaired.jsonl": _as_they_are(dataset.unpaired),
        }
    )


FORMS: dict[Form, Callable[[Dataset], FormLines]] = {
    "trl": _trl,
    "openai": _openai,
    "together": _openai,
    "nemo-gym": _nemo_gym,
    "verifiers": _verifiers,
    "jsonl": _jsonl,
}
"""Form → the lines of each file."""


def _as_they_are(rows: Iterable[Record]) -> Lines:
    return [row.model_dump(mode="json") for row in rows]


def _write(path: Path, lines: Lines) -> Exported:
    path.write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
    return Exported(path, len(lines))
