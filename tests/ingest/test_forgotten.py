"""A user who was forgotten does not come back, whichever way their records come a second time."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.ingest.conftest import Run
from tests.ingest.samples import agent_span, chat_span, otlp, text, tool_span
from tracemill.errors import StoreError
from tracemill.ingest.dead_letter_book import list_dead_letters, replay_dead_letters
from tracemill.ingest.embedded_broker import EmbeddedBroker
from tracemill.ingest.files import FileSource
from tracemill.ingest.forgotten import forget_user, welcome_user
from tracemill.ingest.mapping import FieldMapping
from tracemill.ingest.options import IngestOptions, TopicOptions
from tracemill.ingest.redact import Redactor, load_key
from tracemill.ingest.store import Store
from tracemill.ingest.topic import KafkaSource, publish
from tracemill.ingest.user_search import traces_in_pieces

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
TRACE, OTHER = "ab" * 16, "cd" * 16


def chat(record_id: str, user: str | None, **more: Any) -> bytes:
    messages = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    record = {"id": record_id, "model": "m", "messages": messages, **more}
    return orjson.dumps(record if user is None else {**record, "user_id": user})


def root(trace_id: str, user: str) -> bytes:
    return otlp(agent_span(trace_id, user__id=user))


def judgement(target: str, comment: str) -> bytes:
    said = {"feedback_id": comment, "target": target, "name": "thumb", "score": 0}
    return orjson.dumps({**said, "comment": comment})


@pytest.fixture
def pseudonym(store: Store) -> Callable[[str], str]:
    return Redactor(load_key(store.path.with_name("redaction.key"))).pseudonym


@pytest.fixture
def read(run: Run, tmp_path: Path) -> Callable[..., Any]:
    """Ingest these values as one more file, and close what is open."""
    numbers = iter(range(99))

    def read_file(*values: bytes, options: IngestOptions | None = None) -> Any:
        path = tmp_path / f"part-{next(numbers)}.jsonl"
        path.write_bytes(b"\n".join(values) + b"\n")
        return run(FileSource([path]), options, close_all=True)

    return read_file


def forget(store: Store, user_id: str) -> None:
    """What `tracemill forget` does to the tables of ingest."""
    rows = store.execute("SELECT id FROM traces WHERE user_id = ?", [user_id])
    ids = sorted({*(row[0] for row in rows), *traces_in_pieces(store, user_id)})
    with store.transaction():
        forget_user(store, user_id, ids, now=NOON)
        for deletion in (
            "DELETE FROM trace_rows WHERE id IN (SELECT unnest(?))",
            "DELETE FROM feedback WHERE trace_id IN (SELECT unnest(?))",
            "DELETE FROM fragments WHERE trace_id IN (SELECT unnest(?))",
        ):
            store.execute(deletion, [ids])


def ids_in(store: Store) -> set[str]:
    return {trace.id for trace in store.traces()}


def test_a_topic_that_is_read_again_brings_nobody_back(
    store: Store,
    run: Run,
    broker: EmbeddedBroker,
    new_topic: Callable[..., str],
    pseudonym: Callable[[str], str],
) -> None:
    topic = new_topic()
    publish(broker.address, topic, [chat("a", "ann"), chat("b", "bob"), judgement("a", "bad")])
    run(KafkaSource(broker.address, [topic]))
    forget(store, pseudonym("ann"))
    store.execute("DELETE FROM offsets")

    again = run(KafkaSource(broker.address, [topic]))

    assert (again.records, again.forgotten, again.skipped) == (3, 2, 1)
    assert ids_in(store) == {"b"}
    assert store.execute("SELECT count(*) FROM feedback") == [(0,)]


def test_new_traces_of_a_forgotten_user_are_refused_and_counted(
    store: Store, read: Callable[..., Any], pseudonym: Callable[[str], str]
) -> None:
    read(chat("a", "ann"))
    forget(store, pseudonym("ann"))

    report = read(chat("c", "ann"), chat("d", "bob"), judgement("c", "late"))

    assert (report.traces, report.feedback, report.forgotten) == (1, 0, 2)
    assert ids_in(store) == {"d"}


def test_a_trace_in_pieces_is_known_when_it_closes_and_dropped_with_its_spans(
    store: Store, read: Callable[..., Any], pseudonym: Callable[[str], str]
) -> None:
    read(chat("a", "ann"))
    forget(store, pseudonym("ann"))

    report = read(
        judgement("chatcmpl-A1", "before"), root(TRACE, "ann"), otlp(chat_span(TRACE)),
        root(OTHER, "bob"), otlp(chat_span(OTHER, tag="x")),
    )  # fmt: skip

    assert (report.spans, report.traces, report.forgotten) == (4, 1, 1)
    assert ids_in(store) == {OTHER}
    assert store.execute("SELECT DISTINCT trace_id FROM fragments") == [(OTHER,)]
    assert store.execute("SELECT count(*) FROM open_traces") == [(0,)]
    assert traces_in_pieces(store, pseudonym("ann")) == frozenset()


def test_a_late_span_that_does_not_name_the_user_does_not_bring_the_trace_back(
    store: Store, read: Callable[..., Any], pseudonym: Callable[[str], str]
) -> None:
    read(root(TRACE, "ann"), otlp(chat_span(TRACE)))
    forget(store, pseudonym("ann"))

    report = read(otlp(tool_span(TRACE)), otlp(tool_span(OTHER)))

    assert (report.traces, report.forgotten) == (1, 1)
    assert ids_in(store) == {OTHER}
    assert store.execute("SELECT DISTINCT trace_id FROM fragments") == [(OTHER,)]


def test_what_is_said_later_of_any_part_of_a_forgotten_trace_is_refused(
    store: Store, read: Callable[..., Any], pseudonym: Callable[[str], str]
) -> None:
    read(root(TRACE, "ann"), otlp(chat_span(TRACE)))
    forget(store, pseudonym("ann"))

    targets = (TRACE, "b1b2c3d4e5f60718", "chatcmpl-A1", "conv-42")
    report = read(*(judgement(target, target) for target in targets), judgement("else", "else"))

    assert (report.feedback, report.forgotten) == (1, 4)
    assert store.execute("SELECT target FROM feedback") == [("else",)]


def test_a_session_that_others_share_may_still_be_judged(
    store: Store, read: Callable[..., Any], pseudonym: Callable[[str], str]
) -> None:
    read(chat("a", "ann", session_id="s-1"), chat("b", "bob", session_id="s-1"))
    forget(store, pseudonym("ann"))

    report = read(judgement("s-1", "fine"))

    assert (report.feedback, report.forgotten) == (1, 0)
    trace = store.trace("b")
    assert trace is not None
    assert [said.comment for said in trace.feedback] == ["fine"]


def test_a_dead_letter_that_is_tried_again_brings_nobody_back(
    store: Store, read: Callable[..., Any], pseudonym: Callable[[str], str]
) -> None:
    own = orjson.dumps({"talk": [{"role": "user", "content": "hi"}], "nr": "x1", "who": "ann"})
    read(chat("a", "ann"), own)
    assert len(list_dead_letters(store)) == 1
    forget(store, pseudonym("ann"))
    mapping = FieldMapping(messages="talk", id="nr", user="who")
    topics = {"part-0.jsonl": TopicOptions(mapping=mapping)}

    replayed = replay_dead_letters(store, options=IngestOptions(topics=topics), now=NOON)

    assert replayed.forgotten == 1
    assert ids_in(store) == set()


def test_a_record_of_theirs_that_cannot_be_read_is_not_kept_as_a_dead_letter(
    store: Store, read: Callable[..., Any], pseudonym: Callable[[str], str]
) -> None:
    read(chat("a", "ann-4711"))
    forget(store, pseudonym("ann-4711"))
    inner = orjson.dumps({"user_id": "ann-4711"}).decode()
    dead = [{"user_id": "ann-4711", "no": "messages"}, {"wrapped": inner}, {"user_id": "bob"}]

    report = read(*(orjson.dumps(one) for one in dead))

    assert (report.dead_letters, report.forgotten) == (1, 2)
    assert store.execute("SELECT count(*) FROM dead_letters") == [(1,)]


def test_a_user_who_consents_again_is_written_from_then_on(
    store: Store, read: Callable[..., Any], pseudonym: Callable[[str], str]
) -> None:
    read(root(TRACE, "ann"), otlp(chat_span(TRACE)))
    forget(store, pseudonym("ann"))

    welcome_user(store, pseudonym("ann"))
    report = read(root(TRACE, "ann"), otlp(chat_span(TRACE)), judgement(TRACE, "fine"))

    assert (report.traces, report.feedback, report.forgotten) == (1, 1, 0)
    assert store.execute("SELECT count(*) FROM forgotten_names") == [(0,)]
    with pytest.raises(StoreError, match="not among the forgotten"):
        welcome_user(store, pseudonym("ann"))


def test_the_list_of_the_forgotten_holds_the_pseudonym_and_no_id_of_a_trace(
    store: Store, read: Callable[..., Any], pseudonym: Callable[[str], str]
) -> None:
    read(root(TRACE, "ann"), otlp(chat_span(TRACE, tag=text("x"))))

    forget(store, pseudonym("ann"))

    assert store.execute("SELECT user_id FROM forgotten_users") == [(pseudonym("ann"),)]
    kept = str(store.execute("SELECT * FROM forgotten_names"))
    assert not [name for name in (TRACE, "chatcmpl-A1", "conv-42", "ann'") if name in kept]
