"""Spans of traces that were closed long ago go; what still comes of these does not harm them."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.ingest.samples import agent_span, chat_span, otlp, otlp_record, tool_span
from tracemill.ingest.dead_letter_book import list_dead_letters
from tracemill.ingest.files import FileSource
from tracemill.ingest.options import IngestOptions
from tracemill.ingest.run import IngestReport, ingest
from tracemill.ingest.store import Store

FIRST_DAY = datetime(2026, 1, 5, tzinfo=UTC)
TRACE, OTHER = "ab" * 16, "cd" * 16
On = Callable[..., IngestReport]


@pytest.fixture
def on_day(store: Store, tmp_path: Path) -> On:
    """Read these values on that day; spans are kept for 30."""

    def read(
        day: int,
        *values: bytes,
        options: IngestOptions = IngestOptions(),  # noqa: B008 - frozen
        close_all: bool = True,
    ) -> IngestReport:
        path = tmp_path / f"day-{day}.jsonl"
        path.write_bytes(b"".join(value + b"\n" for value in values))
        now = FIRST_DAY + timedelta(days=day)
        return ingest(
            FileSource([path]), store, options=options, now=lambda: now, close_all=close_all
        )

    return read


def spans_kept(store: Store) -> dict[str, int]:
    return dict(store.execute("SELECT trace_id, sum(spans) FROM fragments GROUP BY trace_id"))


def test_spans_go_when_their_time_is_over_and_traces_stay(store: Store, on_day: On) -> None:
    on_day(0, otlp_record(TRACE))
    on_day(20, otlp_record(OTHER))

    assert on_day(29).old_spans == 0
    assert on_day(31).old_spans == 3

    assert spans_kept(store) == {OTHER: 3}
    assert {trace.id for trace in store.traces()} == {TRACE, OTHER}


def test_a_span_that_comes_too_late_is_a_dead_letter_and_its_trace_stays_whole(
    store: Store, on_day: On
) -> None:
    on_day(0, otlp(agent_span(TRACE), chat_span(TRACE)))
    on_day(40)
    before = store.trace(TRACE)

    report = on_day(41, otlp(tool_span(TRACE)), otlp_record(OTHER))

    assert (report.traces, report.revised, report.dead_letters) == (1, 0, 1)
    assert store.trace(TRACE) == before
    (letter,) = list_dead_letters(store)
    assert (letter.reject_class, letter.path) == ("invalid", f"trace {TRACE}")
    assert letter.reason.startswith("came 41 days after its trace was closed")
    assert spans_kept(store) == {OTHER: 3}


def test_a_late_span_within_the_time_changes_its_trace_and_keeps_all_of_its_spans(
    store: Store, on_day: On
) -> None:
    on_day(0, otlp(agent_span(TRACE), chat_span(TRACE)))

    assert on_day(20, otlp(tool_span(TRACE))).revised == 1
    assert on_day(40).old_spans == 0

    assert spans_kept(store) == {TRACE: 3}
    trace = store.trace(TRACE)
    assert trace is not None
    assert (trace.revision, len(trace.messages)) == (2, 3)


def test_a_trace_that_comes_again_as_a_whole_is_known_and_no_dead_letter(
    store: Store, on_day: On
) -> None:
    on_day(0, otlp_record(TRACE))
    on_day(40)

    report = on_day(41, otlp_record(TRACE))

    assert (report.traces, report.revised, report.dead_letters) == (0, 0, 0)
    assert spans_kept(store) == {}


def test_a_trace_that_is_open_keeps_its_spans_however_old(store: Store, on_day: On) -> None:
    patient = IngestOptions(max_wait_seconds=1e9)
    on_day(0, otlp(chat_span(TRACE)), options=patient, close_all=False)

    assert on_day(40, options=patient, close_all=False).old_spans == 0
    assert spans_kept(store) == {TRACE: 1}
