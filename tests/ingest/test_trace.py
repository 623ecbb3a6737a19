"""The record of a trace, as it is written and as older versions wrote it."""

from pathlib import Path

from tests.ingest.conversation import TRACE
from tests.ingest.genai_spans import (
    ASKED,
    call_part,
    model,
    research,
    spans_of_main,
    text_part,
    tool,
    trace_of,
)
from tracemill.ingest.trace import Trace
from tracemill.ingest.trace_rows import content_hash

EXPECTED = Path(__file__).with_name("conversation_trace.json")


def test_a_trace_that_an_older_version_wrote_is_read() -> None:
    older = EXPECTED.read_bytes()

    assert b"sub_agents" not in older
    assert Trace.from_json(older).usage.prompt_tokens == 151


def test_a_late_sub_agent_makes_another_revision() -> None:
    spans = spans_of_main(call_part("c1", "researcher"))

    before, after = trace_of(*spans), trace_of(*spans, tool(3, 1, "c1"), research(5, 3))

    assert before.messages[:2] == after.messages[:2]
    assert content_hash(before) != content_hash(after)


def test_a_trace_without_sub_agents_is_written_as_it_ever_was() -> None:
    trace = trace_of(model(1, None, ASKED, [text_part("assistant", "b")]))

    assert trace.id == TRACE
    assert "sub_agents" not in trace.to_json()
    assert "unplaced" not in trace.to_json()
