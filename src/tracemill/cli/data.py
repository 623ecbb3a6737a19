"""`tracemill ingest` and `tracemill failures`: what came in, and what went wrong in it."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from tracemill.cli.failure_view import render_failures
from tracemill.cli.options import SettingsFile
from tracemill.errors import TracemillError
from tracemill.settings import load_settings


def ingest(
    settings_file: SettingsFile = None,
    files: Annotated[
        list[str] | None,
        typer.Option("--file", "-f", help="Read this file, folder or glob instead of Kafka."),
    ] = None,
    close_all: Annotated[
        bool, typer.Option("--close-all", help="Close open traces too: nothing more will come.")
    ] = False,
) -> None:
    """Read agent traces and feedback until caught up with the topics' ends."""
    from tracemill.flows import intake
    from tracemill.flows.clock import now
    from tracemill.flows.progress import shown_ingest
    from tracemill.ingest.stopping import Interruptible

    settings = load_settings(settings_file)
    with (
        Interruptible(intake.open_source(settings, files or ())) as source,
        shown_ingest() as show,
    ):
        report = intake.ingest_traces(
            settings, source=source, close_all=close_all, now=now, progress=show
        )
    table = Table("what", "count", title="Ingested")
    table.columns[1].justify = "right"
    for name, value in report.model_dump().items():
        said = f"{value:,.1f}" if isinstance(value, float) else f"{value:,}"
        table.add_row(name.replace("_", " "), said)
    Console().print(table)
    if source.is_stopped:
        raise TracemillError("stopped as told: what was read is kept, and the next run goes on")


def failures(
    settings_file: SettingsFile = None,
    most: Annotated[int, typer.Option("--most", help="How many failure modes to show.")] = 20,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write a page with plots and the traces too.")
    ] = None,
) -> None:
    """Mine what is new in the store and show what goes wrong, worst first."""
    from tracemill.flows import intake
    from tracemill.flows.clock import now

    settings = load_settings(settings_file)
    intake.mine_findings(settings, now=now())
    for shown in render_failures(intake.failure_overview(settings), most=most):
        Console().print(shown)
    if html is not None:
        intake.write_failure_page(settings, html)
        Console().print(f"The same with plots and the traces: {html}", markup=False)
