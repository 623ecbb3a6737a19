"""The `tracemill` command: its subcommands, and how an error reaches the person."""

import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console

from tracemill import __version__
from tracemill.cli import (
    data,
    dead_letters,
    exporting,
    health,
    lineage,
    release,
    rounds,
    start,
    versions,
)
from tracemill.errors import TracemillError

VERBOSE = "--verbose"


def build_app() -> typer.Typer:
    """Return the command with all its subcommands."""
    app = typer.Typer(
        name="tracemill",
        help="Turn production traces of an LLM agent into a reviewed, better model.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        add_completion=False,
    )
    app.callback()(_options)
    app.command("init")(start.init)
    app.command("ingest")(data.ingest)
    app.command("failures")(data.failures)
    app.add_typer(dead_letters.build_app(), name="dead-letters")
    app.add_typer(rounds.build_app(), name="round")
    app.command("gate")(release.gate)
    app.command("promote")(release.promote)
    app.command("rollback")(release.rollback)
    app.command("report")(versions.report)
    app.command("export")(exporting.export)
    app.command("explain")(lineage.explain)
    app.command("forget")(lineage.forget)
    app.command("doctor")(health.doctor)
    return app


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and exit: 0 done, 1 refused or failed, 2 usage."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    _quieten_libraries()
    try:
        build_app()(args=given)
    except TracemillError as error:
        if VERBOSE in given:
            raise
        _say_error(str(error))
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


def _quieten_libraries() -> None:
    """Keep the bars and notices of libraries out of the output, where nobody asked for them."""
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    os.environ.setdefault("MLFLOW_LOGGING_LEVEL", "WARNING")
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")


def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", is_eager=True)
    ] = False,
    verbose: Annotated[
        bool, typer.Option(VERBOSE, help="Show the whole traceback of an error.")
    ] = False,
) -> None:
    if version:
        typer.echo(f"tracemill {__version__}")
        raise typer.Exit


def _say_error(sentence: str) -> None:
    console = Console(stderr=True, soft_wrap=True)
    console.print("[bold red]Error:[/]", end=" ")
    console.print(sentence, markup=False, highlight=False)
