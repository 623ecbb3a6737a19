"""The records that could not be read are searched for a user's own id, whatever encodes them."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.ingest.conversation import TRACE
from tracemill.ingest.user_search import words_in
from tracemill.ingest.wire import WireRecord


def record(value: bytes, key: bytes | None = None) -> WireRecord:
    return WireRecord("t", 0, 0, 0, key, value)


@pytest.mark.parametrize(
    "user", ["ann", "ann lee", "4711", "a" * 35, "7a9b5c1e-0000-4000-8000-12345678"]
)
def test_a_users_id_is_found_in_protobuf_and_so_is_the_traces(user: str) -> None:
    request = ExportTraceServiceRequest()
    span = (
        request.resource_spans.add()
        .scope_spans.add()
        .spans.add(trace_id=bytes.fromhex(TRACE), span_id=b"12345678", start_time_unix_nano=1)
    )
    for name, text in (("user.id", user), ("gen_ai.request.model", "m" * 40)):
        span.attributes.add(key=name).value.string_value = text

    words = words_in(record(request.SerializeToString() + b"\xff"))

    assert {user, TRACE} <= words


def test_numbers_keys_and_json_within_json_are_looked_through() -> None:
    inner = orjson.dumps({"who": "ann"}).decode()

    words = words_in(record(orjson.dumps({"user": 4711, "log": inner}), key=b"bob"))

    assert {"4711", "ann", "bob"} <= words


PLAIN = st.characters(codec="ascii", min_codepoint=32, exclude_characters='"\\')


@given(st.text(PLAIN, min_size=1, max_size=200))
def test_every_plain_text_of_a_json_record_is_a_word(user: str) -> None:
    assert user in words_in(record(orjson.dumps({"user": user})))


@given(st.binary(max_size=300))
def test_no_bytes_stop_the_search(data: bytes) -> None:
    assert all(0 < len(word) <= 200 for word in words_in(record(data, key=data)))
