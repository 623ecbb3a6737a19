"""Options that several commands take, said once."""

from pathlib import Path
from typing import Annotated

import typer

SettingsFile = Annotated[
    Path | None,
    typer.Option(
        "--settings", "-s", help="Settings file. [default: tracemill.toml here]", show_default=False
    ),
]
