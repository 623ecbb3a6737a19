"""Spans as the store keeps them."""

import orjson
from hypothesis import given
from hypothesis import strategies as st

from tracemill.ingest.span import Span, SpanEvent, dump_spans, load_spans

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)  # fmt: skip


@given(attributes=st.dictionaries(st.text(max_size=5), JSON, max_size=4), body=JSON)
def test_spans_come_back_as_they_were(attributes: dict[str, object], body: object) -> None:
    event = SpanEvent("gen_ai.choice", 7, {"index": 0}, body)  # type: ignore[arg-type]
    spans = [
        Span("t", "a", None, "chat", 1, 2, None, attributes, [event], [("t", "b")]),  # type: ignore[arg-type]
        Span("t", "b", "a", is_local_root=True, repeated_in="c"),
    ]

    assert load_spans(dump_spans(spans)) == spans


def test_spans_of_a_store_that_kept_them_as_objects_are_read() -> None:
    span = Span(
        "t", "a", "b", "chat", 1, 2, "failed", {"k": 1}, [SpanEvent("e", 3, {})], [("t", "x")]
    )

    assert load_spans(orjson.dumps([span])) == [span]
