"""`tracemill init`: a commented tracemill.toml to start from."""

from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tracemill.errors import SettingsError
from tracemill.settings import FILE_NAME


def init(
    folder: Annotated[Path, typer.Argument(help="Where to write it.")] = Path(),
    force: Annotated[bool, typer.Option("--force", help="Write over an existing file.")] = False,
) -> None:
    """Write a commented tracemill.toml."""
    path = folder / FILE_NAME
    if path.exists() and not force:
        raise SettingsError(f"{path} exists already: --force writes over it")
    if not folder.is_dir():
        raise SettingsError(f"{folder} is no folder: make it first")
    path.write_text(template())
    Console().print(f"Wrote {path}. Set your Kafka and your model there, then: tracemill doctor")


def template() -> str:
    """Return the commented settings that `tracemill init` writes; every value is the default."""
    return (files("tracemill.cli") / "tracemill.toml").read_text()
