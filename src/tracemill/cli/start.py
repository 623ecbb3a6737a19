"""`tracemill init`: a commented tracemill.toml to start from."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tracemill.cli.template import settings_template
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
    path.write_text(settings_template())
    Console().print(f"Wrote {path}. Set your Kafka and your model there, then: tracemill doctor")
