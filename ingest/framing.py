"""Framing: what wraps a value on the wire is taken off: schema frames, gzip, zstd.

Confluent's frame is 0x00 and a 4-byte schema id (0x01 and 16 bytes in its newer form), before JSON
or protobuf; a protobuf payload begins with message indexes. Source: Confluent's wire format.
"""

import gzip
import zlib
from typing import NamedTuple

import zstandard

from tracemill.errors import InvalidRecordError

LARGEST_VALUE = 64_000_000
"""Bytes, unpacked. A larger record is refused: it would take many times that as objects."""
GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
ZSTD_STEP = 1024
"""Packed bytes that are unpacked at once: a bomb is noticed after 32 MB of it at most."""
FRAMES = {0x00: 5, 0x01: 17}
"""First byte → length of the frame."""


class Unframed(NamedTuple):
    """A value without its wrappings, and their names from the outside in."""

    value: bytes
    wrappings: tuple[str, ...] = ()


def unframe(value: bytes) -> Unframed:
    """Return the value without schema frame and compression.

    Raises InvalidRecordError if a wrapping is broken, or the value too large.
    """
    wrappings: tuple[str, ...] = ()
    while len(wrappings) < 4:
        if len(value) > LARGEST_VALUE:
            raise InvalidRecordError(f"larger than {LARGEST_VALUE} bytes")
        if value[:2] == GZIP:
            value, wrappings = _gunzip(value), (*wrappings, "gzip")
        elif value[:4] == ZSTD:
            value, wrappings = _unzstd(value), (*wrappings, "zstd")
        elif value[:1] and value[0] in FRAMES and len(value) > FRAMES[value[0]]:
            value = _without_indexes(value[FRAMES[value[0]] :])
            wrappings = (*wrappings, "confluent")
        else:
            break
    return Unframed(value, wrappings)


def _gunzip(value: bytes) -> bytes:
    unpacker = zlib.decompressobj(wbits=31)
    try:
        plain = unpacker.decompress(value, LARGEST_VALUE + 1)
    except (zlib.error, gzip.BadGzipFile) as error:
        raise InvalidRecordError(f"broken gzip: {error}") from error
    if not unpacker.eof and len(plain) <= LARGEST_VALUE:
        raise InvalidRecordError("gzip that is cut off")
    return plain


def _unzstd(value: bytes) -> bytes:
    unpacker = zstandard.ZstdDecompressor().decompressobj()
    pieces: list[bytes] = []
    size = 0
    try:
        for start in range(0, len(value), ZSTD_STEP):
            pieces.append(unpacker.decompress(value[start : start + ZSTD_STEP]))
            size += len(pieces[-1])
            if size > LARGEST_VALUE or unpacker.eof:
                break
    except zstandard.ZstdError as error:
        raise InvalidRecordError(f"broken zstd: {error}") from error
    if not unpacker.eof and size <= LARGEST_VALUE:
        raise InvalidRecordError("zstd that is cut off")
    return b"".join(pieces)


def _without_indexes(payload: bytes) -> bytes:
    """Return the payload after the message indexes, which only protobuf has.

    OTLP protobuf begins with 0x0A, JSON with a bracket (or white space); an index list begins
    with 0x00 (the first message) or with a zigzag count and as many varints.
    """
    if payload[:1] == b"\x00":
        return payload[1:]
    if payload[:1] in (b"{", b"[", b"\n", b" ", b"\t", b"\r"):
        return payload
    count = payload[0] >> 1
    return payload[1 + count :] if payload[0] % 2 == 0 and count < 16 else payload
