"""Records become traces in the store, each once, whatever dies."""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import orjson
import pytest

from tests.ingest.conftest import Run
from tests.ingest.samples import chat_record, otlp_record, span_records
from tracemill.errors import FencedError
from tracemill.ingest.batch_rows import decoders_used
from tracemill.ingest.embedded_broker import EmbeddedBroker
from tracemill.ingest.files import FileSource
from tracemill.ingest.mapping import FieldMapping
from tracemill.ingest.options import IngestOptions, TopicOptions
from tracemill.ingest.run import IngestReport, ingest
from tracemill.ingest.store import Store
from tracemill.ingest.topic import KafkaSource, Producer, publish
from tracemill.ingest.wire import Batch, Resume, WireRecord

NOON_MS = 1_767_614_400_000
TAU = FieldMapping(
    messages="traj",
    reward="reward",
    task="task_id",
    id=("task_id", "trial"),
    user="info.task.user_id",
    expected_calls="info.task.actions",
)


def test_tau_bench_airline_published_as_it_is_gives_its_true_counts(
    broker: EmbeddedBroker, new_topic: Callable[..., str], store: Store, run: Run, real_traces: Path
) -> None:
    topic = new_topic(partitions=3)
    file = real_traces / "tau-bench/historical_trajectories/gpt-4o-airline.json"
    rows = orjson.loads(file.read_bytes())
    publish(broker.address, topic, [orjson.dumps(row) for row in rows])
    options = IngestOptions(topics={topic: TopicOptions(mapping=TAU)})

    report = run(KafkaSource(broker.address, [topic]), options)
    again = run(KafkaSource(broker.address, [topic]), options)

    traces = list(store.traces())
    assert (report.records, report.traces, report.dead_letters) == (200, 200, 0)
    assert again.records == 0
    assert sum(len(trace.messages) for trace in traces) == 5308
    assert sum(len(m.tool_calls) for trace in traces for m in trace.messages) == 1164
    assert sum(trace.outcome.reward == 1 for trace in traces) == 84
    assert all(m.is_error is None for trace in traces for m in trace.messages)
    assert {len(t.outcome.expected_calls) for t in traces if t.task == "0"} == {1}


def test_the_resilience_run_gives_its_115_traces_from_the_file(
    store: Store, run: Run, real_traces: Path
) -> None:
    mapping = TAU.model_copy(update={"reward": "info.reward_info.components.base_success"})
    options = IngestOptions(topics={"tau_bench": TopicOptions(mapping=mapping)})
    source = FileSource([real_traces / "tau-bench-pr68-resilience" / "tau_bench"])

    report = run(source, options)

    rewards = [trace.outcome.reward for trace in store.traces()]
    assert (report.traces, report.dead_letters, len(rewards)) == (115, 0, 115)
    assert sum(r or 0 for r in rewards) / 115 == pytest.approx(0.6783, abs=1e-4)


def test_spans_in_pieces_over_two_partitions_become_one_trace(
    broker: EmbeddedBroker, new_topic: Callable[..., str], store: Store, run: Run
) -> None:
    topic = new_topic(partitions=2)
    with Producer(broker.address) as producer:
        for number, value in enumerate(span_records("ab" * 16)):
            producer.send(topic, value, partition=number % 2)

    report = run(KafkaSource(broker.address, [topic]), close_all=True)

    (trace,) = store.traces()
    assert report.spans == 3
    assert [m.role for m in trace.messages] == ["user", "assistant", "tool"]
    assert {source.partition for source in trace.sources} == {0, 1}


def test_a_trace_stays_open_until_it_is_quiet_and_a_late_span_makes_a_new_revision(
    broker: EmbeddedBroker, new_topic: Callable[..., str], store: Store, run: Run
) -> None:
    topic = new_topic()
    source = KafkaSource(broker.address, [topic])
    agent, chat, tool = span_records("cd" * 16)
    publish(broker.address, topic, [agent, chat])

    waiting = run(source, IngestOptions(quiet_seconds=3600))
    closed = run(source, IngestOptions(quiet_seconds=0))
    publish(broker.address, topic, [tool, chat])
    revised = run(source, IngestOptions(quiet_seconds=0))

    assert (waiting.traces, waiting.open_traces) == (0, 1)
    assert (closed.traces, closed.open_traces) == (1, 0)
    assert (revised.traces, revised.revised) == (0, 1)
    (trace,) = store.traces()
    assert trace.revision == 2
    assert trace.messages[-1].is_error is True


def test_a_trace_without_its_root_closes_after_the_longest_wait_and_is_incomplete(
    broker: EmbeddedBroker, new_topic: Callable[..., str], store: Store, run: Run
) -> None:
    topic = new_topic()
    hour_ago = int(time.time() * 1000) - 3_600_000
    with Producer(broker.address) as producer:
        producer.send(topic, span_records("ef" * 16)[1], timestamp_ms=hour_ago)

    run(KafkaSource(broker.address, [topic]), IngestOptions(quiet_seconds=0, max_wait_seconds=7200))
    assert list(store.traces()) == []
    run(KafkaSource(broker.address, [topic]), IngestOptions(quiet_seconds=0, max_wait_seconds=60))

    (trace,) = store.traces()
    assert not trace.is_complete


def test_a_topic_may_wait_longer_than_others(
    broker: EmbeddedBroker, new_topic: Callable[..., str], store: Store, run: Run
) -> None:
    patient, hasty = new_topic(), new_topic()
    publish(broker.address, patient, [otlp_record("12" * 16)])
    publish(broker.address, hasty, [otlp_record("34" * 16)])
    options = IngestOptions(quiet_seconds=0, topics={patient: TopicOptions(quiet_seconds=3600)})

    report = run(KafkaSource(broker.address, [patient, hasty]), options)

    assert [trace.id for trace in store.traces()] == ["34" * 16]
    assert report.open_traces == 1


def test_the_decoder_that_won_is_kept_by_topic(
    broker: EmbeddedBroker, new_topic: Callable[..., str], store: Store, run: Run
) -> None:
    topic = new_topic(2)
    publish(
        broker.address, topic, [chat_record("a"), otlp_record("12" * 16), chat_record("b"), b"x"]
    )

    run(KafkaSource(broker.address, [topic]))

    assert set(decoders_used(store)) == {(topic, "chat", 2), (topic, "otlp", 1), (topic, "auto", 1)}


def test_a_resent_record_changes_nothing(
    broker: EmbeddedBroker, new_topic: Callable[..., str], store: Store, run: Run
) -> None:
    topic = new_topic()
    publish(broker.address, topic, [otlp_record("12" * 16)] * 2 + [chat_record("c1")] * 2)

    run(KafkaSource(broker.address, [topic]), close_all=True)
    publish(broker.address, topic, [otlp_record("12" * 16), chat_record("c1")])
    report = run(KafkaSource(broker.address, [topic]), close_all=True)

    assert sorted((t.id, t.revision) for t in store.traces()) == [("12" * 16, 1), ("c1", 1)]
    assert (report.traces, report.revised) == (0, 0)


def test_a_longer_log_of_the_same_conversation_replaces_a_shorter_and_not_the_reverse(
    broker: EmbeddedBroker, new_topic: Callable[..., str], store: Store, run: Run
) -> None:
    topic = new_topic()
    source = KafkaSource(broker.address, [topic])
    publish(broker.address, topic, [chat_record("c", turns=1)])
    run(source)
    publish(broker.address, topic, [chat_record("c", turns=3)])
    run(source)
    publish(broker.address, topic, [chat_record("c", turns=2)])
    run(source)

    (trace,) = store.traces()
    assert (len(trace.messages), trace.revision) == (6, 2)


def test_bad_records_become_dead_letters_and_good_ones_beside_them_live(
    broker: EmbeddedBroker, new_topic: Callable[..., str], store: Store, run: Run
) -> None:
    topic = new_topic()
    values = [
        b"no json",
        b"",
        None,
        b'{"a": 1}',
        chat_record("good"),
        b"\xff\xfe\x00",
        b'{"messages": [',
    ]
    with Producer(broker.address) as producer:
        for value in values:
            producer.send(topic, value, key=b"k")

    report = run(KafkaSource(broker.address, [topic]))

    letters = store.execute(
        'SELECT "offset", reject_class, record_value FROM dead_letters ORDER BY "offset"'
    )
    assert [(offset, name) for offset, name, _ in letters] == [
        (0, "undecodable"), (3, "unsupported"), (5, "undecodable"), (6, "undecodable"),
    ]  # fmt: skip
    assert letters[0][2] == b"no json"
    assert (report.traces, report.dead_letters, report.skipped) == (1, 4, 2)


def test_feedback_waits_for_its_trace_and_is_corrected_and_retracted_later(
    broker: EmbeddedBroker, new_topic: Callable[..., str], store: Store, run: Run
) -> None:
    topic = new_topic()
    source = KafkaSource(broker.address, [topic])
    trace_id = "34" * 16

    def say(**fields: object) -> None:
        said = {"id": "f1", "trace_id": trace_id, "name": "thumb", **fields}
        publish(broker.address, topic, [orjson.dumps(said)])
        run(source, close_all=True)

    say(score=0)
    publish(broker.address, topic, [otlp_record(trace_id)])
    run(source, close_all=True)
    trace = store.trace(trace_id)
    assert trace is not None
    assert [said.score for said in trace.feedback] == [0]

    seen = store.last_change()
    say(score=1, correction={"name": "get_order", "arguments": {"order_id": "A18"}})
    (changed,) = store.traces(changed_since=seen)
    assert changed.feedback[0].score == 1
    assert changed.feedback[0].correction is not None
    assert changed.feedback[0].correction.tool_calls[0].name == "get_order"

    say(retracted=True)
    assert store.trace(trace_id) == changed.model_copy(update={"feedback": ()})


@pytest.mark.parametrize("target", ["b1b2c3d4e5f60718", "chatcmpl-A1", "conv-42"])
def test_feedback_finds_its_trace_by_span_response_or_session(
    broker: EmbeddedBroker, new_topic: Callable[..., str], store: Store, run: Run, target: str
) -> None:
    topic = new_topic()
    said = orjson.dumps({"target": target, "name": "thumb", "score": 1})
    publish(broker.address, topic, [otlp_record("56" * 16), said])

    run(KafkaSource(broker.address, [topic]), close_all=True)

    (trace,) = store.traces()
    assert [one.score for one in trace.feedback] == [1]


def test_personal_data_is_replaced_before_it_is_written_and_alike_in_message_and_call(
    broker: EmbeddedBroker, new_topic: Callable[..., str], store: Store, run: Run
) -> None:
    topic = new_topic()
    arguments = orjson.dumps({"email": "ann@example.com", "order_id": "A17"}).decode()
    calls = [{"id": "c", "function": {"name": "find", "arguments": arguments}}]
    messages = [
        {"role": "user", "content": "I am ann@example.com"},
        {"role": "assistant", "content": None, "tool_calls": calls},
    ]
    record = {"id": "r", "user_id": "ann", "messages": messages}
    publish(broker.address, topic, [orjson.dumps(record), b"broken ann@example.com"])

    run(KafkaSource(broker.address, [topic]))

    (trace,) = store.traces()
    placeholder = (trace.messages[0].content or "").removeprefix("I am ")
    assert trace.messages[1].tool_calls[0].parsed() == {"email": placeholder, "order_id": "A17"}
    assert trace.user_id is not None
    assert trace.user_id.startswith("user-")
    store.close()
    assert b"ann@example.com" not in store.path.read_bytes()


def test_a_worker_whose_partition_another_has_read_meanwhile_is_fenced_and_writes_nothing(
    broker: EmbeddedBroker, new_topic: Callable[..., str], store: Store, run: Run
) -> None:
    topic = new_topic()
    publish(broker.address, topic, [chat_record("c1")])
    run(KafkaSource(broker.address, [topic]))
    publish(broker.address, topic, [chat_record("c2")])

    class Sleepy(KafkaSource):
        def read(self, *args, **kwargs):  # type: ignore[no-untyped-def]
            for batch in super().read(*args, **kwargs):
                run(KafkaSource(broker.address, [topic]))
                yield batch

    with pytest.raises(FencedError, match="Another worker reads partition 0"):
        run(Sleepy(broker.address, [topic]))

    assert store.execute("SELECT count(*) FROM traces") == [(2,)]


def test_what_a_run_wrote_lies_in_the_file_itself_and_the_store_is_as_it_was_opened(
    store: Store, run: Run, tmp_path: Path
) -> None:
    (tmp_path / "log.jsonl").write_bytes(b"\n".join(chat_record(f"c{n}") for n in range(20)))
    settings = "SELECT current_setting('memory_limit'), current_setting('max_vacuum_tasks')"
    before = store.execute(settings)

    run(FileSource([tmp_path / "log.jsonl"]))

    log = store.path.with_name(f"{store.path.name}.wal")
    assert not log.exists() or log.stat().st_size == 0
    assert store.execute(settings) == before


class Tombstones:
    """A source of batches of empty records."""

    def __init__(self, batches: int) -> None:
        self.batches = batches

    def read(self, resume: Resume, batch_records: int) -> Iterator[Batch]:
        for first in range(resume("t", 0) or 0, self.batches * batch_records, batch_records):
            numbers = range(first, first + batch_records)
            yield Batch([WireRecord("t", 0, number, NOON_MS, None, None) for number in numbers], 0)


def test_a_long_run_opens_its_store_anew_now_and_then_and_counts_on(store: Store) -> None:
    log = store.path.with_name(f"{store.path.name}.wal")  # there unless the store was just opened
    was_new: list[bool] = []

    report = ingest(
        Tombstones(batches=40),
        store,
        options=IngestOptions(batch_records=1000),
        now=lambda: datetime.now(UTC),
        progress=lambda report: was_new.append(not log.exists()),
    )

    assert [number for number, is_new in enumerate(was_new[:40]) if is_new] == [14, 29]
    assert report.records == report.skipped == 40_000
    assert store.execute("SELECT next_offset FROM offsets") == [(40_000,)]


def test_what_another_process_read_while_a_long_run_let_go_of_the_store_is_not_read_again(
    store: Store,
) -> None:
    def read_on(report: IngestReport) -> None:
        if report.records == 15_000:  # as by another process, when the store was free
            store.execute("UPDATE offsets SET next_offset = 22_000")

    report = ingest(
        Tombstones(batches=40),
        store,
        options=IngestOptions(batch_records=1000),
        now=lambda: datetime.now(UTC),
        progress=read_on,
    )

    assert report.records == 40_000 - 7_000
    assert store.execute("SELECT next_offset FROM offsets") == [(40_000,)]
