"""Write: a dataset into a folder, in one of the forms below.

Only the training side is ever written. The suite stays home.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import orjson
from pydantic import JsonValue

from tracemill.curation.dataset import Dataset
from tracemill.curation.exports import nemo_gym, openai, trl, verifiers_taskset
from tracemill.curation.task import Task
from tracemill.record import Record

Form = Literal["trl", "openai", "together", "nemo-gym", "verifiers", "jsonl"]


class Exported(NamedTuple):
    """A file that was written."""

    path: Path
    rows: int


def export(dataset: Dataset, form: Form, folder: Path) -> tuple[Exported, ...]:
    """Write the dataset's training side in this form, and return the files that hold rows.

    A kind of row that the dataset does not hold gives no file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = [
        _write(folder / name, lines) for name, lines in FORMS[form](dataset).items() if lines
    ]
    if form == "verifiers":
        (folder / "tracemill_tasks.py").write_text(verifiers_taskset.MODULE)
        (folder / "pyproject.toml").write_text(verifiers_taskset.PROJECT)
    return tuple(written)


Lines = Sequence[dict[str, JsonValue]]


def _trl(dataset: Dataset) -> dict[str, Lines]:
    return {
        "sft.jsonl": [trl.example_line(row) for row in dataset.examples],
        "dpo.jsonl": [trl.pair_line(row) for row in dataset.pairs],
        "kto.jsonl": [trl.unpaired_line(row) for row in dataset.unpaired],
    }


def _openai(dataset: Dataset) -> dict[str, Lines]:
    return {
        "supervised.jsonl": [openai.example_line(row) for row in dataset.examples],
        "preference.jsonl": [openai.pair_line(row) for row in dataset.pairs],
    }


def _nemo_gym(dataset: Dataset) -> dict[str, Lines]:
    return {"tasks.jsonl": [nemo_gym.task_line(task) for task in dataset.tasks]}


def _verifiers(dataset: Dataset) -> dict[str, Lines]:
    calling = _with_calls(dataset.tasks)
    return {"tasks.jsonl": [verifiers_taskset.task_line(task) for task in calling]}


def _jsonl(dataset: Dataset) -> dict[str, Lines]:
    return {
        "tasks.jsonl": _as_they_are(dataset.tasks),
        "examples.jsonl": _as_they_are(dataset.examples),
        "pairs.jsonl": _as_they_are(dataset.pairs),
        "unpaired.jsonl": _as_they_are(dataset.unpaired),
    }


FORMS: dict[Form, Callable[[Dataset], dict[str, Lines]]] = {
    "trl": _trl,
    "openai": _openai,
    "together": _openai,
    "nemo-gym": _nemo_gym,
    "verifiers": _verifiers,
    "jsonl": _jsonl,
}
"""Form → the lines of each file."""


def _with_calls(tasks: Iterable[Task]) -> list[Task]:
    """The tasks whose reference makes calls: answers in words have nothing to compare."""
    return [task for task in tasks if task.reference.tool_calls]


def _as_they_are(rows: Iterable[Record]) -> Lines:
    return [row.model_dump(mode="json") for row in rows]


def _write(path: Path, lines: Lines) -> Exported:
    path.write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
    return Exported(path, len(lines))
