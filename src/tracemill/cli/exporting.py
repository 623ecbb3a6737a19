"""`tracemill export`: a frozen dataset in the form that another trainer or service takes."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tracemill.cli.options import SettingsFile
from tracemill.errors import TracemillError
from tracemill.settings import Settings, load_settings


def export(
    form: Annotated[
        str, typer.Argument(help="trl, openai, together, nemo-gym, verifiers or jsonl.")
    ],
    folder: Annotated[Path, typer.Argument(help="Where to write the files.")],
    dataset: Annotated[
        str | None, typer.Option("--dataset", help="Its id. [default: the latest]")
    ] = None,
    settings_file: SettingsFile = None,
) -> None:
    """Write a dataset's training side; the suite stays home."""
    from tracemill.curation.dataset import load_dataset
    from tracemill.curation.exports.write import FORMS
    from tracemill.curation.exports.write import export as write

    known = {name: name for name in FORMS}
    if form not in known:
        raise TracemillError(f"no form {form!r}: one of {', '.join(known)}")
    settings = load_settings(settings_file)
    path = settings.datasets_folder / dataset if dataset else latest_dataset(settings)
    written = write(load_dataset(path), known[form], folder)
    for reason, tasks in written.refused.items():
        Console().print(f"left out, {reason}: {tasks} tasks", markup=False)
    if not written.files:
        raise TracemillError(f"{path.name} holds no row of the kinds that {form!r} takes")
    for file in written.files:
        Console().print(f"{file.path}: {file.rows} rows of {path.name}", markup=False)


def latest_dataset(settings: Settings) -> Path:
    """Return the folder of the dataset that was frozen last; TracemillError where there is none."""
    from tracemill.curation.dataset import load_dataset
    from tracemill.curation.explain import dataset_folders

    folders = dataset_folders(settings.datasets_folder)
    if not folders:
        raise TracemillError("no dataset is frozen yet: `tracemill round plan` freezes one")
    return max(folders, key=lambda path: load_dataset(path).frozen_at)
