"""How `tracemill failures` looks in a terminal: the failures, worst first, and outages apart."""

from collections.abc import Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from tracemill.curation.failure_report import FailureLine, FailureOverview

BARS = "▁▂▃▄▅▆▇█"


def render_failures(overview: FailureOverview, *, most: int) -> Iterator[RenderableType]:
    """Yield what to print: a summary, the failure modes, and the outages apart from them."""
    yield _summary(overview)
    failures = [line for line in overview.lines if not line.is_infrastructure]
    outages = [line for line in overview.lines if line.is_infrastructure]
    if failures:
        yield _table("Failures and edge cases", failures[:most])
    if len(failures) > most:
        yield Text(f"… and {len(failures) - most} more: --most shows them", style="dim")
    if outages:
        yield _table("Outages: no failure of the agent, never trained on", outages[:most])
    for one in overview.incidents:
        yield Text(
            f"Incident: {one.claim}, {one.traces} traces from {one.first_seen_at:%Y-%m-%d %H:%M} "
            f"to {one.last_seen_at:%H:%M} UTC"
        )


def sparkline(counts: Sequence[int]) -> str:
    """Return one bar for each count, the highest full.

    >>> sparkline([0, 2, 4])
    '▁▄█'
    """
    top = max(counts, default=0)
    return "".join(BARS[round(count / top * 7) if top else 0] for count in counts)


def _summary(overview: FailureOverview) -> Text:
    if overview.failure_share is None:
        return Text(f"{overview.traces} traces, none of them free of outages: nothing to judge.")
    sound = overview.traces - overview.infrastructure_traces
    return Text(
        f"{overview.failed} of {sound} traces failed ({overview.failure_share:.0%}); "
        f"{overview.infrastructure_traces} more met an outage and are not judged."
    )


def _table(title: str, lines: Sequence[FailureLine]) -> Table:
    has_nights = any(len(line.trend) > 1 for line in lines)
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("traces", justify="right", no_wrap=True)
    table.add_column("share", justify="right", no_wrap=True)
    if has_nights:
        table.add_column("by night", no_wrap=True)
    table.add_column("standing", overflow="fold", max_width=16)
    table.add_column("what goes wrong", ratio=1, overflow="fold")
    for line in lines:
        trend = (sparkline(line.trend),) if has_nights else ()
        table.add_row(str(line.traces), f"{line.share:.1%}", *trend, line.course, _what(line))
    return table


def _what(line: FailureLine) -> Text:
    """The mode's name and id, one of its findings where that says more, and a trace to look at."""
    said = Text(line.name)
    said.append(f"  {line.mode}", style="dim")
    if line.example not in line.name:
        said.append(f"\n{line.example}", style="dim")
    said.append(f"\nsee trace {line.exemplar}", style="dim")
    return said
