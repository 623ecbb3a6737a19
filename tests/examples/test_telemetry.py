from pathlib import Path

import pytest

from examples.support_desk.agent import Served
from examples.support_desk.telemetry import to_otlp
from examples.support_desk.tools import TOOLS
from examples.support_desk.users import opinions
from tests.examples.clerk import NOON, calling, serve_rightly, serve_saying
from tracemill.ingest.files import FileSource
from tracemill.ingest.options import IngestOptions
from tracemill.ingest.run import ingest
from tracemill.ingest.store import Store
from tracemill.ingest.trace import Message, Trace


def read_back(served: tuple[Served, ...], folder: Path) -> tuple[Trace, ...]:
    """The traces as Tracemill reads them, in the order of what was served."""
    records = [to_otlp(one) for one in served]
    records += [said.to_json().encode() for said in opinions(served, seed=1)]
    (folder / "records.jsonl").write_bytes(b"\n".join(records))
    with Store(folder / "store.duckdb") as store:
        source = FileSource([folder / "records.jsonl"])
        report = ingest(source, store, options=IngestOptions(), now=lambda: NOON, close_all=True)
        found = {trace.id: trace for trace in store.traces()}
    assert (report.traces, report.dead_letters) == (len(served), 0)
    return tuple(found[one.trace_id] for one in served)


@pytest.fixture
def served() -> tuple[Served, ...]:
    return serve_rightly(40)


def test_tracemill_reads_back_what_was_said(served: tuple[Served, ...], tmp_path: Path) -> None:
    traces = read_back(served, tmp_path)

    for one, trace in zip(served, traces, strict=True):
        assert trace.messages[:4] == one.prompt
        assert [m.content for m in trace.messages[5:]] == [one.result.messages[-1].content]
        made, wish = trace.messages[4].tool_calls[0], one.request.state.wish
        assert (made.name, made.parsed()) == (wish.name, wish.arguments)
        assert trace.messages[5].is_error == one.request.is_outage


def test_tracemill_reads_back_who_asked_and_how_it_ended(
    served: tuple[Served, ...], tmp_path: Path
) -> None:
    traces = read_back(served, tmp_path)

    for one, trace in zip(served, traces, strict=True):
        assert trace.model == one.model
        assert trace.tools == TOOLS
        assert trace.session_id == one.request.conversation
        assert trace.environment_state == one.request.state.model_dump(mode="json")
        assert (trace.outcome.reward, trace.is_complete) == (one.verdict, True)
        assert (trace.started_at, trace.ended_at is None) == (one.started_at, False)
    customers = {(one.request.customer, t.user_id) for one, t in zip(served, traces, strict=True)}
    assert len(customers) == len({one.request.customer for one in served})


def test_tracemill_reads_back_tokens_times_and_why_the_model_stopped(
    served: tuple[Served, ...], tmp_path: Path
) -> None:
    (step,) = read_back(served, tmp_path)[0].steps

    assert (step.message, step.prompt_tokens, step.completion_tokens) == (4, 200, 36)
    assert step.finish_reason == "tool"
    assert step.started_at == served[0].started_at


def test_words_and_invented_calls_are_read_back_as_they_were(tmp_path: Path) -> None:
    rambling = serve_saying(Message(role="assistant", content="<tool_call>\n{...}"), count=1)
    inventing = serve_saying(calling("annul", '{"order": 1}'), count=1, seed=2)

    spoken, invented = read_back((*rambling, *inventing), tmp_path)

    assert (spoken.messages[4].content, len(spoken.messages)) == ("<tool_call>\n{...}", 5)
    assert invented.messages[5].is_error
    assert invented.messages[5].content == "Error: no tool is named 'annul'"


def test_the_note_of_who_took_over_speaks_of_the_agents_answer(tmp_path: Path) -> None:
    served = serve_saying(Message(role="assistant", content="No."), count=20)

    notes = [said for trace in read_back(served, tmp_path) for said in trace.feedback]
    corrections = [note for note in notes if note.correction is not None]

    assert {note.step for note in corrections} == {4}
    assert {note.source for note in corrections} == {"expert"}
    assert all(note.correction and note.correction.tool_calls for note in corrections)
