"""Progress: what long work shows a person who waits for it.

On a terminal a bar with the latest figure; elsewhere (a worker's log, a pipe) one line when the
work begins and one when it ends, so that logs stay readable.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)

from tracemill.ingest.run import IngestReport

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
    """Yield the callback that ingest calls: records read, of how many, and MB/s."""
    with shown("Ingest", figure="MB/s", console=console) as report:

        def show(so_far: IngestReport) -> None:
            speed = so_far.bytes / 1e6 / so_far.seconds if so_far.seconds else 0.0
            report("records", so_far.records, so_far.records + so_far.lag, speed)

        yield show


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
