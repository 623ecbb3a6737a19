"""What a person reads when `tracemill ingest` is through."""

from collections.abc import Mapping

from rich.console import Console

from tracemill.cli.ingest_view import render_ingest
from tracemill.ingest.decoded import RejectClass
from tracemill.ingest.options import IngestOptions
from tracemill.ingest.run import IngestReport


def shown(report: IngestReport, waiting: Mapping[RejectClass, int]) -> dict[str, str]:
    """The lines of the table by their names."""
    console = Console(width=160, no_color=True)
    with console.capture() as said:
        console.print(render_ingest(report, waiting, IngestOptions()))
    lines = (line.strip().split("  ", 1) for line in said.get().splitlines())
    return {line[0]: " ".join(line[1].split()) for line in lines if len(line) == 2}


def test_what_came_in_and_what_was_left_out_is_told_with_what_to_do() -> None:
    report = IngestReport(
        records=30, bytes=24_300, seconds=2.0, traces=20, open_traces=1, dead_letters=2,
        forgotten=4, mirrored=2, lag=5,
    )  # fmt: skip

    lines = shown(report, {"undecodable": 2, "invalid": 7})

    assert lines["records"] == "30 24.3 kB in 2.0 s (0.01 MB/s)"
    assert lines["traces still open"].startswith("1 close 60 s after their last span")
    assert lines["dead letters waiting"].startswith("9 of all runs: 7 invalid, 2 undecodable;")
    assert lines["forgotten"].startswith("4 ")
    assert lines["still to come"].startswith("5 ")


def test_what_is_zero_is_left_out_and_a_run_that_read_nothing_says_so() -> None:
    lines = shown(IngestReport(), {})

    assert lines["records"] == "0 nothing new: what was there had been read before"
    assert {"lost", "forgotten", "dead letters", "still to come"}.isdisjoint(lines)
