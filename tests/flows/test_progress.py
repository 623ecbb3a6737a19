"""A worker that runs on says how it goes: in one line on a terminal, once a minute elsewhere."""

import io

from rich.console import Console

from tracemill.flows.progress import in_one_line, shown_following, shown_ingest
from tracemill.ingest.run import IngestReport

REPORT = IngestReport(
    records=1200, bytes=3_000_000, traces=40, open_traces=2, dead_letters=3, lag=7, seconds=2.0
)


def test_one_line_tells_what_came_of_the_records() -> None:
    assert in_one_line(REPORT) == (
        "1,200 records, 40 traces, 2 open, 3 dead letters, 1.5 MB/s, 7 still to come"
    )
    assert "1 of forgotten users" in in_one_line(REPORT.model_copy(update={"forgotten": 1}))


def test_a_log_gets_a_line_at_the_beginning_and_not_one_for_each_batch() -> None:
    written = io.StringIO()

    with shown_following(Console(file=written, width=200)) as show:
        for number in range(50):
            show(REPORT.model_copy(update={"records": number}))

    lines = written.getvalue().splitlines()
    assert len(lines) == 1
    assert lines[0].endswith(
        " 0 records, 40 traces, 2 open, 3 dead letters, 1.5 MB/s, 7 still to come"
    )


def test_a_terminal_gets_one_line_that_is_written_over() -> None:
    written = io.StringIO()
    console = Console(file=written, width=200, force_terminal=True)

    with shown_following(console) as show:
        show(REPORT)

    assert "1,200 records" in written.getvalue()
    assert written.getvalue().count("\n") <= 1


def test_a_run_that_catches_up_ends_with_what_it_came_to() -> None:
    written = io.StringIO()

    with shown_ingest(Console(file=written, width=200)) as show:
        show(REPORT)

    assert "2 open, 3 dead letters" in written.getvalue()
    assert "done in 2.0 s" in written.getvalue()
