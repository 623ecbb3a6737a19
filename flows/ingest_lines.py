"""Ingest lines: what came in, what came of it, and what was left out, each with a word on it."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rich import filesize

from tracemill.ingest.decoded import RejectClass
from tracemill.ingest.options import IngestOptions
from tracemill.ingest.run import IngestReport

ALWAYS = frozenset(("records", "traces", "feedback"))
"""Counts that are told though they are 0."""


class Line(NamedTuple):
    """One count of a run."""

    what: str
    number: int
    remark: str


def ingest_lines(
    report: IngestReport, waiting: Mapping[RejectClass, int], options: IngestOptions
) -> tuple[Line, ...]:
    """Return the counts that say something; `waiting` are the store's dead letters by class."""
    lines = (*_came_in(report, options), *_left_out(report, waiting))
    return tuple(line for line in lines if line.number or line.what in ALWAYS)


def _came_in(report: IngestReport, options: IngestOptions) -> Iterator[Line]:
    yield Line("records", report.records, _how_fast(report))
    yield Line("spans", report.spans, "parts of traces")
    yield Line("traces", report.traces, "new")
    yield Line("traces revised", report.revised, "changed by a late span, or a longer log")
    closing = (
        f"close {options.quiet_seconds:g} s after their last span, or "
        f"{options.max_wait_seconds:g} s after their first; --close-all closes them at once"
    )
    yield Line("traces still open", report.open_traces, closing)
    yield Line("feedback", report.feedback, "joined to its traces, or waits for them")


def _how_fast(report: IngestReport) -> str:
    if not report.records:
        return "nothing new: what was there had been read before"
    speed = report.bytes / 1e6 / report.seconds if report.seconds else 0.0
    return f"{filesize.decimal(report.bytes)} in {report.seconds:,.1f} s ({speed:,.2f} MB/s)"


def _left_out(report: IngestReport, waiting: Mapping[RejectClass, int]) -> Iterator[Line]:
    yield Line("dead letters", report.dead_letters, "could not be read")
    classes = ", ".join(f"{count:,} {name}" for name, count in sorted(waiting.items()))
    said = f"of all runs: {classes}; `tracemill dead-letters list` says why"
    yield Line("dead letters waiting", sum(waiting.values()), said)
    yield Line("dead letters sent", report.mirrored, "to their topic")
    yield Line("skipped", report.skipped, "empty, known already, or nothing of an agent")
    yield Line("forgotten", report.forgotten, "of users who were forgotten: not written")
    yield Line("old spans", report.old_spans, "of traces closed long ago: not kept")
    yield Line("lost", report.lost, "deleted before they were read, as on_data_loss allows")
    yield Line("still to come", report.lag, "the next run goes on with them")
