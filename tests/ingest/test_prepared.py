"""Records of a batch, made ready for the store slice by slice."""

from collections.abc import Sequence

from tests.ingest.samples import agent_span, chat_span, otlp, tool_span
from tracemill.ingest.decoded import Context
from tracemill.ingest.options import TopicOptions
from tracemill.ingest.prepared import AT_ONCE, Prepared, prepare
from tracemill.ingest.redact import Redactor
from tracemill.ingest.wire import WireRecord

FIRST, SECOND = "ab" * 16, "cd" * 16


def prepared(values: Sequence[bytes]) -> Prepared:
    redactor, options = Redactor(b"k" * 32), TopicOptions()
    return prepare(
        Context(WireRecord("agents", 0, offset, 1_760_000_000_000, None, value), redactor, options)
        for offset, value in enumerate(values)
    )


def test_spans_of_many_records_are_one_fragment_of_their_trace_and_counted() -> None:
    trace = prepared([otlp(tool_span(FIRST)), otlp(chat_span(FIRST)), otlp(agent_span(FIRST))])

    (fragment,) = trace.fragments
    assert (fragment.trace_id, fragment.spans, trace.spans) == (FIRST, 3, 3)
    assert (fragment.first.offset, fragment.last.offset) == (0, 2)
    assert [one.trace_id for one in trace.ready] == [FIRST]


def test_a_trace_without_its_root_waits_for_it() -> None:
    waiting = prepared([otlp(chat_span(FIRST))])

    assert [one.has_root for one in waiting.fragments] == [False]
    assert waiting.ready == []


def test_what_comes_after_the_slice_of_the_root_is_another_fragment() -> None:
    between = [otlp(agent_span(SECOND), chat_span(SECOND))] * AT_ONCE
    late = prepared([otlp(agent_span(FIRST), chat_span(FIRST)), *between, otlp(tool_span(FIRST))])

    own = [one for one in late.fragments if one.trace_id == FIRST]
    assert [(one.has_root, one.spans) for one in own] == [(True, 2), (False, 1)]


def test_a_ready_trace_names_each_user_that_its_spans_name() -> None:
    spans = agent_span(FIRST, user__id="ada"), chat_span(FIRST, enduser__id="grace")
    named = prepared([otlp(*spans)])

    redactor = Redactor(b"k" * 32)
    (ready,) = named.ready
    assert ready.users == {redactor.pseudonym("ada"), redactor.pseudonym("grace")}


def test_a_span_that_cannot_be_written_is_a_reject_of_its_record_alone() -> None:
    odd = tool_span(FIRST)
    odd["attributes"].append({"key": "n", "value": {"intValue": str(2**70)}})
    found = prepared([otlp(agent_span(FIRST), chat_span(FIRST), odd)])

    (rejects,) = (decoded.rejects for _, decoded in found.decoded)
    assert [(one.reject_class, one.path) for one in rejects] == [
        ("invalid", f"span {odd['spanId']}")
    ]
    assert [one.spans for one in found.fragments] == [2]
