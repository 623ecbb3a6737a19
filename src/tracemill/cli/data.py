"""`tracemill ingest` and `tracemill failures`: what came in, and what went wrong in it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from tracemill.cli.failure_view import render_failures
from tracemill.cli.options import SettingsFile
from tracemill.errors import TracemillError
from tracemill.settings import Settings, load_settings

if TYPE_CHECKING:  # it brings the store along, which takes a moment
    from tracemill.ingest.run import IngestReport


def ingest(
    settings_file: SettingsFile = None,
    files: Annotated[
        list[str] | None,
        typer.Option("--file", "-f", help="Read this file, folder or glob instead of Kafka."),
    ] = None,
    close_all: Annotated[
        bool, typer.Option("--close-all", help="Close open traces too: nothing more will come.")
    ] = False,
    follow: Annotated[
        bool, typer.Option("--follow", help="Run on as a worker, until SIGTERM or Ctrl-C.")
    ] = False,
    worker: Annotated[
        str | None,
        typer.Option("--worker", help="Its name: it replaces one of its name that was killed."),
    ] = None,
) -> None:
    """Read agent traces and feedback until caught up with the topics' ends."""
    from tracemill.flows import intake
    from tracemill.flows.clock import now
    from tracemill.flows.progress import shown_ingest
    from tracemill.ingest.stopping import Interruptible

    settings = load_settings(settings_file)
    if follow:
        if files or close_all:
            raise typer.BadParameter("--follow reads topics on and on: no --file, no --close-all")
        return _follow(settings, worker)
    if worker is not None:
        raise typer.BadParameter("--worker names a worker that runs on: give --follow too")
    with (
        Interruptible(intake.open_source(settings, files or ())) as source,
        shown_ingest() as show,
    ):
        report = intake.ingest_traces(
            settings, source=source, close_all=close_all, now=now, progress=show
        )
    _show(settings, report)
    if source.is_set:
        raise TracemillError("stopped as told: what was read is kept, and the next run goes on")
    return None


def _follow(settings: Settings, worker: str | None) -> None:
    """Be a worker of the settings' group until told to stop; that is how it ends well."""
    from tracemill.flows import intake
    from tracemill.flows.clock import now
    from tracemill.flows.progress import shown_following
    from tracemill.ingest.stopping import Stop

    kafka, console = settings.kafka, Console(soft_wrap=True)
    with Stop() as stop:
        console.print(
            f"Following {', '.join(kafka.topics)} at {kafka.bootstrap_servers} in the group "
            f"{kafka.group!r}; SIGTERM or Ctrl-C ends it after the batch in hand.",
            markup=False,
            highlight=False,
        )
        with shown_following() as show:
            report = intake.follow_topics(
                settings, is_done=lambda: stop.is_set, now=now, progress=show, worker=worker
            )
    _show(settings, report)
    console.print(f"Ended by {stop.by}. What was read is kept; the next run goes on from there.")


def _show(settings: Settings, report: "IngestReport") -> None:
    from tracemill.cli.ingest_view import render_ingest
    from tracemill.flows import intake

    console = Console()
    console.print(render_ingest(intake.told(settings, report)))
    if report.traces or report.revised:
        console.print("Next: `tracemill failures` shows what goes wrong in them.", markup=False)


def failures(
    settings_file: SettingsFile = None,
    most: Annotated[int, typer.Option("--most", help="How many failure modes to show.")] = 20,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write a page with plots and the traces too.")
    ] = None,
) -> None:
    """Mine what is new in the store and show what goes wrong, worst first."""
    from tracemill.flows import console, intake

    settings = load_settings(settings_file)
    console.mine(settings)
    for shown in render_failures(intake.failure_overview(settings), most=most):
        Console().print(shown)
    if html is not None:
        intake.write_failure_page(settings, html)
        Console().print(f"The same with plots and the traces: {html}", markup=False)
