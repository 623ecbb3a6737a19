"""A trace whose spans come at once waits ready-made; one of which more comes is made anew."""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.ingest.samples import agent_span, chat_span, otlp, tool_span
from tracemill.ingest.decoded import Episode
from tracemill.ingest.options import IngestOptions
from tracemill.ingest.prepared import AT_ONCE
from tracemill.ingest.run import Worker
from tracemill.ingest.store import Store
from tracemill.ingest.trace import Message, ModelRef, Trace
from tracemill.ingest.trace_rows import write_traces
from tracemill.ingest.wire import Batch, WireRecord

TRACE = "ab" * 16
NOON = datetime(2026, 11, 2, 12, tzinfo=UTC)
Take = Callable[..., None]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "traces.duckdb") as store:
        yield store


@pytest.fixture
def worker(store: Store) -> Worker:
    return Worker(store, IngestOptions(quiet_seconds=3600), lambda: NOON)


@pytest.fixture
def take(worker: Worker) -> Take:
    """Take records as one batch, of which the first has this offset."""

    def take(offset: int, *values: bytes) -> None:
        moment = int(NOON.timestamp() * 1000)
        records = [
            WireRecord("agents", 0, offset + number, moment, None, value)
            for number, value in enumerate(values)
        ]
        worker.take(Batch(records, lag=0))

    return take


def spans() -> Sequence[dict[str, object]]:
    return agent_span(TRACE), chat_span(TRACE), tool_span(TRACE)


def closed(store: Store, worker: Worker) -> Trace:
    worker.finish(close_everything=True)
    (trace,) = store.traces()
    assert store.execute("SELECT count(*) FROM trace_rows WHERE changed_at < 0") == [(0,)]
    assert store.execute("SELECT count(*) FROM open_traces") == [(0,)]
    return trace


def test_a_trace_that_came_whole_is_closed_without_its_spans_being_read(
    store: Store, worker: Worker, take: Take
) -> None:
    take(0, otlp(*spans()))
    assert list(store.traces()) == []
    store.execute("DELETE FROM fragments")

    trace = closed(store, worker)

    assert [message.role for message in trace.messages] == ["user", "assistant", "tool"]
    assert (worker.report.traces, worker.report.revised) == (1, 0)


def test_a_trace_of_which_more_comes_is_the_same_as_if_all_had_come_at_once(
    store: Store, worker: Worker, take: Take
) -> None:
    agent, chat, tool = spans()
    take(0, otlp(agent, chat))
    assert store.execute("SELECT count(*) FROM trace_rows WHERE changed_at < 0") == [(1,)]
    take(1, otlp(tool))

    trace = closed(store, worker)

    assert [message.role for message in trace.messages] == ["user", "assistant", "tool"]
    assert (trace.revision, trace.sources[0].last_offset) == (1, 1)


def test_a_span_long_after_the_root_in_the_same_batch_is_in_the_trace(
    store: Store, worker: Worker, take: Take
) -> None:
    agent, chat, tool = spans()
    take(0, otlp(agent, chat), *[otlp(chat)] * AT_ONCE, otlp(tool))
    assert store.execute("SELECT count(*) FROM trace_rows WHERE changed_at < 0") == [(0,)]

    trace = closed(store, worker)

    assert [message.role for message in trace.messages] == ["user", "assistant", "tool"]
    assert trace.sources[0].last_offset == AT_ONCE + 1


def test_spans_before_the_root_are_not_forgotten_by_what_comes_with_it(
    store: Store, worker: Worker, take: Take
) -> None:
    agent, chat, tool = spans()
    take(0, otlp(tool))
    take(1, otlp(agent, chat))
    assert store.execute("SELECT count(*) FROM trace_rows WHERE changed_at < 0") == [(0,)]

    assert len(closed(store, worker).messages) == 3


def test_a_ready_trace_that_another_record_tells_whole_gives_way_to_it(
    store: Store, worker: Worker, take: Take
) -> None:
    take(0, otlp(*spans()))
    exported = Trace(
        id=TRACE,
        model=ModelRef(name="m"),
        messages=(Message(role="user", content="Where is A17?"),),
        started_at=NOON,
        dialect="export",
    )
    with store.transaction():
        write_traces(store, [Episode(exported)], store.next_change())
    assert [trace.dialect for trace in store.traces()] == ["export"]

    assert closed(store, worker).dialect == "otel-genai"
    assert worker.report.revised == 1


def test_a_whole_trace_that_is_sent_again_after_it_was_closed_changes_nothing(
    store: Store, worker: Worker, take: Take
) -> None:
    take(0, otlp(*spans()))
    worker.finish(close_everything=True)
    take(1, otlp(*spans()))

    assert closed(store, worker).revision == 1
    assert worker.report.traces == 1
