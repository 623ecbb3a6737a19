"""Wrappings come off, broken ones are refused, and nothing unpacks without end."""

import gzip
import zlib

import pytest
import zstandard

from tests.ingest.reading import decode_value
from tests.ingest.samples import chat_record
from tracemill.errors import InvalidRecordError
from tracemill.ingest.framing import LARGEST_VALUE, unframe

VALUE = chat_record("c")


@pytest.mark.parametrize(
    ("wrapped", "wrappings"),
    [
        (VALUE, ()),
        (gzip.compress(VALUE), ("gzip",)),
        (zstandard.compress(VALUE), ("zstd",)),
        (b"\x00\x00\x00\x00\x07" + VALUE, ("confluent",)),
        (b"\x01" + b"g" * 16 + VALUE, ("confluent",)),
        (b"\x00\x00\x00\x00\x07\x00" + b"\x0aproto", ("confluent",)),
        (b"\x00\x00\x00\x00\x07\x02\x00" + b"\x0aproto", ("confluent",)),
        (
            gzip.compress(b"\x00\x00\x00\x00\x07" + zstandard.compress(VALUE)),
            ("gzip", "confluent", "zstd"),
        ),
    ],
)
def test_wrappings_come_off_from_the_outside_in(wrapped: bytes, wrappings: tuple[str, ...]) -> None:
    unframed = unframe(wrapped)

    assert unframed.wrappings == wrappings
    assert unframed.value in (VALUE, b"\x0aproto")


def test_the_decoder_that_won_names_the_wrappings() -> None:
    assert decode_value(gzip.compress(VALUE)).decoder == "gzip+chat"


@pytest.mark.parametrize(
    "wrapped", [gzip.compress(VALUE)[:-9], zstandard.compress(VALUE)[:-4], b"\x1f\x8bxx"]
)
def test_a_broken_wrapping_is_refused(wrapped: bytes) -> None:
    with pytest.raises(InvalidRecordError, match=r"broken|cut off"):
        unframe(wrapped)


def test_a_bomb_is_refused_without_being_unpacked_whole() -> None:
    packer = zlib.compressobj(wbits=31)
    piece = b"\x00" * 1_000_000
    bomb = (
        b"".join(packer.compress(piece) for _ in range(LARGEST_VALUE // len(piece) + 2))
        + packer.flush()
    )

    with pytest.raises(InvalidRecordError, match="larger than"):
        unframe(bomb)
