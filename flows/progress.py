"""Progress: what long work shows a person who waits for it.

On a terminal a bar with the latest figure; elsewhere (a worker's log, a pipe) one line when the
work begins and one when it ends, so that logs stay readable.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from rich.console import Console
from rich.live import Live
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

from tracemill.ingest.run import IngestReport

LINE_SECONDS = 60.0
"""Between two lines where there is no terminal."""
Report = Callable[[str, int, int, float], None]
"""What is being done, how many are done, how many there are, and the latest figure."""


@contextmanager
def shown(title: str, *, figure: str = "", console: Console | None = None) -> Iterator[Report]:
    """Yield the callback that long work calls; `figure` names its last argument ("loss")."""
    console = console or Console()
    started = time.monotonic()
    console.print(f"[bold]{title}[/] ...", highlight=False)
    latest: dict[str, tuple[int, int, float]] = {}
    with _bars(console) as bars:
        ids: dict[str, TaskID] = {}

        def report(what: str, done: int, total: int, value: float) -> None:
            latest[what] = (done, total, value)
            if what not in ids:
                ids[what] = bars.add_task(what, total=total, figure="")
            said = f"{figure} {value:.3g}" if figure else ""
            bars.update(ids[what], completed=done, total=total, figure=said)

        yield report
    if not console.is_terminal:
        for what, (done, total, value) in latest.items():
            said = f", {figure} {value:.3g}" if figure else ""
            console.print(f"  {what}: {done}/{total}{said}", highlight=False)
    console.print(f"  done in {time.monotonic() - started:.1f} s", highlight=False, style="dim")


@contextmanager
def shown_ingest(console: Console | None = None) -> Iterator[Callable[[IngestReport], None]]:
    """Yield the callback that ingest calls: records read, of how many, and what came of them."""
    console = console or Console()
    console.print("[bold]Ingest[/] ...", highlight=False)
    latest = IngestReport()
    with _bars(console) as bars:
        bar = bars.add_task("records", total=None, figure="")

        def show(so_far: IngestReport) -> None:
            nonlocal latest
            latest, total = so_far, so_far.records + so_far.lag
            bars.update(bar, completed=so_far.records, total=total, figure=_came_of(so_far))

        yield show
    if not console.is_terminal:
        console.print(f"  {in_one_line(latest)}", highlight=False)
    console.print(f"  done in {latest.seconds:.1f} s", highlight=False, style="dim")


@contextmanager
def shown_following(console: Console | None = None) -> Iterator[Callable[[IngestReport], None]]:
    """Yield the callback that a worker calls which runs on: one line that is kept up to date.

    Where there is no terminal, a line is printed when it begins and once a minute.
    """
    console = console or Console()
    if console.is_terminal:
        with Live(Text("waiting for records"), console=console, transient=True) as line:
            yield lambda so_far: line.update(Text(in_one_line(so_far)))
        return
    printed_at = -LINE_SECONDS

    def show(so_far: IngestReport) -> None:
        nonlocal printed_at
        if time.monotonic() - printed_at >= LINE_SECONDS:
            printed_at = time.monotonic()
            at = datetime.now(UTC).isoformat(timespec="seconds")
            console.print(f"{at} {in_one_line(so_far)}", highlight=False, soft_wrap=True)

    yield show


def in_one_line(so_far: IngestReport) -> str:
    """Return what ingest has done, for a line of a log."""
    return f"{so_far.records:,} records, {_came_of(so_far)}, {so_far.lag:,} still to come"


def _came_of(so_far: IngestReport) -> str:
    speed = so_far.bytes / 1e6 / so_far.seconds if so_far.seconds else 0.0
    parts = [f"{so_far.traces:,} traces", f"{so_far.open_traces:,} open"]
    parts += [f"{so_far.dead_letters:,} dead letters"]
    parts += [f"{so_far.forgotten:,} of forgotten users"] if so_far.forgotten else []
    return ", ".join([*parts, f"{speed:.3g} MB/s"])


def _bars(console: Console) -> Progress:
    return Progress(
        TextColumn("  {task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[figure]}"),
        TimeElapsedColumn(),
        console=console,
        disable=not console.is_terminal,
    )
