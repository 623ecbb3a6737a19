"""How the end of `tracemill ingest` looks in a terminal."""

from collections.abc import Iterable

from rich.box import SIMPLE_HEAD
from rich.table import Table

from tracemill.flows.ingest_lines import Line


def render_ingest(lines: Iterable[Line]) -> Table:
    """Return a table of the counts of a run."""
    table = Table("what", "count", "", title="Ingested", title_justify="left", box=SIMPLE_HEAD)
    table.columns[1].justify = "right"
    for line in lines:
        table.add_row(line.what, f"{line.number:,}", line.remark)
    return table
