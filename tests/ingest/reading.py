"""Traces out of records without a broker or a store: decode, group, rebuild."""

from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache

from tracemill.ingest.decoded import Context, Decoded
from tracemill.ingest.ladder import decode
from tracemill.ingest.options import TopicOptions
from tracemill.ingest.rebuild import rebuild
from tracemill.ingest.redact import Redactor
from tracemill.ingest.span import Span, dump_spans, load_spans
from tracemill.ingest.trace import SourceRange, Trace
from tracemill.ingest.wire import WireRecord

KEY = b"0123456789abcdef0123456789abcdef"
MOMENT_MS = 1_767_607_200_000


@cache
def redactor() -> Redactor:
    """One for all tests: its patterns take 10 ms to compile."""
    return Redactor(KEY)


def decode_value(
    value: bytes | None, topic: TopicOptions | None = None, **fields: object
) -> Decoded:
    record = WireRecord("topic", 0, 0, MOMENT_MS, None, value)._replace(**fields)  # type: ignore[arg-type]
    return decode(Context(record, redactor(), topic or TopicOptions()))


def traces_of(values: Iterable[bytes], topic: TopicOptions | None = None) -> list[Trace]:
    """The traces that these records hold; nothing of them may be rejected."""
    spans: dict[str, list[Span]] = {}
    traces: list[Trace] = []
    for value in values:
        decoded = decode_value(value, topic)
        assert decoded.rejects == [], (decoded.rejects, value[:300])
        traces += [episode.trace for episode in decoded.episodes]
        for span in load_spans(dump_spans(decoded.spans)):
            spans.setdefault(span.trace_id, []).append(span)
    arrived = datetime.fromtimestamp(MOMENT_MS / 1000, UTC)
    source = SourceRange(topic="topic", partition=0, first_offset=0, last_offset=0)
    rebuilt = [rebuild(trace_id, said, [source], arrived) for trace_id, said in spans.items()]
    return traces + [episode.trace for episode in rebuilt if episode is not None]
