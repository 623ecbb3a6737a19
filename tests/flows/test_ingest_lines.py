"""What a person reads when ingest is through, in a terminal and in Prefect alike."""

from tracemill.flows.ingest_lines import ingest_lines
from tracemill.ingest.options import IngestOptions
from tracemill.ingest.run import IngestReport


def test_what_came_in_and_what_was_left_out_is_told_with_what_to_do() -> None:
    report = IngestReport(
        records=30, bytes=24_300, seconds=2.0, traces=20, open_traces=1, dead_letters=2,
        forgotten=4, mirrored=2, lag=5,
    )  # fmt: skip

    told = ingest_lines(report, {"undecodable": 2, "invalid": 7}, IngestOptions())
    lines = {line.what: f"{line.number} {line.remark}" for line in told}

    assert lines["records"] == "30 24.3 kB in 2.0 s (0.01 MB/s)"
    assert lines["traces still open"].startswith("1 close 60 s after their last span")
    assert lines["dead letters waiting"].startswith("9 of all runs: 7 invalid, 2 undecodable;")
    assert lines["forgotten"].startswith("4 ")
    assert lines["still to come"].startswith("5 ")


def test_what_is_zero_is_left_out_and_a_run_that_read_nothing_says_so() -> None:
    told = ingest_lines(IngestReport(), {}, IngestOptions())
    lines = {line.what: f"{line.number} {line.remark}" for line in told}

    assert lines["records"] == "0 nothing new: what was there had been read before"
    assert {"lost", "forgotten", "dead letters", "still to come"}.isdisjoint(lines)
