"""How the end of `tracemill ingest` looks: what came in, what came of it, and what to do next."""

from collections.abc import Iterator, Mapping

from rich import filesize
from rich.box import SIMPLE_HEAD
from rich.table import Table

from tracemill.ingest.decoded import RejectClass
from tracemill.ingest.options import IngestOptions
from tracemill.ingest.run import IngestReport

ALWAYS = frozenset(("records", "traces", "feedback"))
"""Counts that are shown though they are 0."""


def render_ingest(
    report: IngestReport, waiting: Mapping[RejectClass, int], options: IngestOptions
) -> Table:
    """Return a table of the counts; `waiting` are the dead letters of the store, by class."""
    table = Table("what", "count", "", title="Ingested", title_justify="left", box=SIMPLE_HEAD)
    table.columns[1].justify = "right"
    for name, count, remark in (*_came_in(report, options), *_left_out(report, waiting)):
        if count or name in ALWAYS:
            table.add_row(name, f"{count:,}", remark)
    return table


def _came_in(report: IngestReport, options: IngestOptions) -> Iterator[tuple[str, int, str]]:
    yield "records", report.records, _how_fast(report)
    yield "spans", report.spans, "parts of traces"
    yield "traces", report.traces, "new"
    yield "traces revised", report.revised, "changed by a late span, or a longer log"
    closing = (
        f"close {options.quiet_seconds:g} s after their last span, or "
        f"{options.max_wait_seconds:g} s after their first; --close-all closes them at once"
    )
    yield "traces still open", report.open_traces, closing
    yield "feedback", report.feedback, "joined to its traces, or waits for them"


def _how_fast(report: IngestReport) -> str:
    if not report.records:
        return "nothing new: what was there had been read before"
    speed = report.bytes / 1e6 / report.seconds if report.seconds else 0.0
    return f"{filesize.decimal(report.bytes)} in {report.seconds:,.1f} s ({speed:,.2f} MB/s)"


def _left_out(
    report: IngestReport, waiting: Mapping[RejectClass, int]
) -> Iterator[tuple[str, int, str]]:
    yield "dead letters", report.dead_letters, "could not be read"
    classes = ", ".join(f"{count:,} {name}" for name, count in sorted(waiting.items()))
    yield (
        "dead letters waiting",
        sum(waiting.values()),
        f"of all runs: {classes}; `tracemill dead-letters list` says why",
    )
    yield "dead letters sent", report.mirrored, "to their topic"
    yield "skipped", report.skipped, "empty, known already, or nothing of an agent"
    yield "forgotten", report.forgotten, "of users who were forgotten: not written"
    yield "old spans", report.old_spans, "of traces closed long ago: not kept (keep_spans_days)"
    yield "lost", report.lost, "deleted before they were read, as on_data_loss allows"
    yield "still to come", report.lag, "the next run goes on with them"
