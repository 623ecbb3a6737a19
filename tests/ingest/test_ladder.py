"""The ladder takes any bytes at all: no crash, no hang, and every record accounted for."""

import json
import random

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ingest.conversation_dialects import DIALECTS
from tests.ingest.decoders.test_otlp import protobuf
from tests.ingest.reading import decode_value
from tests.ingest.samples import chat_record
from tracemill.ingest.decoded import Decoded
from tracemill.ingest.mapping import FieldMapping
from tracemill.ingest.options import TopicOptions

SAMPLES = [value for make in DIALECTS.values() for value in make()] + [protobuf("ab" * 16)]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4)
    ),
    max_leaves=20,
)
KEYS = st.sampled_from(
    ["messages", "resourceSpans", "resourceLogs", "batch", "observations", "post", "patch", "info", "data",
     "conversations", "object", "output", "run_type", "trace_id", "name", "score", "spans", "traceId", "value",
     "type", "body", "role", "content", "parts", "spanContext", "attributes", "assessment_name", "from"]
)  # fmt: skip


def is_accounted_for(decoded: Decoded) -> bool:
    """Something was made of it, or it was counted, or it says that it holds nothing."""
    held = decoded.spans or decoded.episodes or decoded.feedback
    return bool(held or decoded.rejects or decoded.ignored) or decoded.decoder != "auto"


@given(st.binary(max_size=200))
def test_random_bytes_are_rejected_or_skipped(value: bytes) -> None:
    assert is_accounted_for(decode_value(value))


@given(st.dictionaries(KEYS, JSON, max_size=5))
def test_json_with_known_keys_and_unknown_content_never_raises(value: dict[str, object]) -> None:
    assert is_accounted_for(decode_value(json.dumps(value).encode()))


@given(st.sampled_from(SAMPLES), st.data())
def test_a_damaged_record_never_raises(sample: bytes, data: st.DataObject) -> None:
    assert is_accounted_for(
        decode_value(damaged(sample, data.draw(st.randoms(use_true_random=False))))
    )


def damaged(sample: bytes, dice: random.Random) -> bytes:
    """The sample with a piece cut out, doubled, or replaced."""
    start = dice.randrange(len(sample))
    end = min(len(sample), start + dice.randrange(1, 40))
    middle = dice.choice(
        [b"", sample[start:end] * 2, dice.randbytes(5), b"null", b"[]", b"{}", b"-1", b'"']
    )
    return sample[:start] + middle + sample[end:]


@pytest.mark.slow
def test_a_hundred_thousand_random_and_damaged_records_never_raise() -> None:
    dice = random.Random(11)
    for number in range(100_000):
        sample = dice.choice(SAMPLES)
        value = (
            damaged(damaged(sample, dice), dice)
            if number % 4
            else dice.randbytes(dice.randrange(300))
        )
        assert is_accounted_for(decode_value(value)), value


@settings(max_examples=30)
@given(st.lists(st.sampled_from(["user", "assistant", "tool", "system"]), min_size=1, max_size=6))
def test_a_list_of_messages_is_one_conversation(roles: list[str]) -> None:
    decoded = decode_value(orjson.dumps([{"role": role, "content": "x"} for role in roles]))

    assert [len(e.trace.messages) for e in decoded.episodes] == [len(roles)]


def test_several_json_lines_in_a_record_are_read_one_by_one() -> None:
    decoded = decode_value(chat_record("a") + b"\n" + b"{broken\n" + chat_record("b"))

    assert [episode.trace.id for episode in decoded.episodes] == ["a", "b"]
    assert [reject.path for reject in decoded.rejects] == ["line 2"]


def test_a_pinned_decoder_reads_nothing_else() -> None:
    pinned = TopicOptions(decoder="otlp")
    wrong = decode_value(chat_record("a"), pinned)
    unknown = decode_value(chat_record("a"), TopicOptions(decoder="nope"))

    assert wrong.episodes == []
    assert "no decoder is named 'nope'" in unknown.rejects[0].reason


def test_episodes_within_one_record_are_read_each() -> None:
    value = orjson.dumps({"runs": [orjson.loads(chat_record(f"c{n}")) for n in range(3)]})
    mapping = FieldMapping(records="runs", id="id")

    decoded = decode_value(value, TopicOptions(mapping=mapping))

    assert [episode.trace.id for episode in decoded.episodes] == ["c0", "c1", "c2"]


def test_the_decoder_that_won_is_recorded() -> None:
    assert decode_value(chat_record("a")).decoder == "chat"
    assert decode_value(b"").decoder == "empty"
