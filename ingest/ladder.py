"""Ladder: from a record's bytes to what it holds, one rung after another.

Wrappings come off first. What looks like JSON is read as JSON, and as protobuf if that fails: an
OTLP protobuf record begins with a line feed, and can go on with a bracket. What no rung takes is
a reject with its reason; nothing that is read here raises.
"""

import json
from typing import Any

import orjson
from pydantic import JsonValue

from tracemill.errors import InvalidRecordError
from tracemill.ingest.decoded import Context, Decoded, Reject
from tracemill.ingest.decoders.otlp_protobuf import decode_protobuf
from tracemill.ingest.decoders.table import JSON_DECODERS, REDACTS_ITSELF, recognise
from tracemill.ingest.framing import unframe


def decode(context: Context) -> Decoded:
    """Return what the record holds; a reject of the whole if that is nothing known."""
    value = context.record.value
    if not value:
        return Decoded("empty", ignored=1)
    decoded = Decoded("auto")
    with decoded.part(""):
        plain, wrappings = unframe(value)
        found = _decode_plain(plain, context)
        if wrappings:
            found.decoder = "+".join((*wrappings, found.decoder))
        return found
    return decoded


def _decode_plain(value: bytes, context: Context) -> Decoded:
    pinned = _pinned(context)
    if pinned == "otlp-protobuf":
        return decode_protobuf(value, context) or _undecodable("no OTLP protobuf", pinned)
    if value.lstrip()[:1] in (b"{", b"["):
        try:
            parsed = read_json(value)
        except InvalidRecordError as error:
            if pinned is None and (found := decode_protobuf(value, context)) is not None:
                return found
            return _lines(value, context, str(error))
        return _decode_json(parsed, context, pinned)
    if pinned is not None:
        return _undecodable("no JSON", pinned)
    found = decode_protobuf(value, context)
    return found or _undecodable("neither JSON nor OTLP protobuf", "auto")


def _pinned(context: Context) -> str | None:
    """Return the decoder that the settings name for the topic; None to tell by content."""
    if context.topic.decoder != "auto":
        return context.topic.decoder
    if context.topic.mapping is not None:
        return "mapped"
    return "mapped-feedback" if context.topic.feedback_mapping is not None else None


def _undecodable(reason: str, decoder: str) -> Decoded:
    return Decoded(decoder, rejects=[Reject("undecodable", reason)])


def _lines(value: bytes, context: Context, reason: str) -> Decoded:
    """Read a record of several lines as one JSON value a line; a reject if it is not that."""
    lines = value.strip().split(b"\n")
    if len(lines) < 2:
        return _undecodable(reason, "auto")
    decoded = Decoded("json-lines")
    for number, line in enumerate(lines):
        with decoded.part(f"line {number + 1}"):
            part = _decode_json(read_json(line), context, _pinned(context))
            decoded.take(part, f"line {number + 1}")
    if len(decoded.rejects) == len(lines):
        return _undecodable(reason, "auto")
    return decoded


def _decode_json(value: JsonValue, context: Context, pinned: str | None) -> Decoded:
    if isinstance(value, list) and pinned is None and not _is_conversation(value):
        decoded = Decoded("json-list")
        for index, element in enumerate(value):
            with decoded.part(f"[{index}]"):
                decoded.take(_decode_json(element, context, None), f"[{index}]")
        if len(decoded.rejects) == len(value):
            return Decoded("auto", rejects=[Reject("unsupported", _unknown(value))])
        return decoded
    if isinstance(value, list) and pinned is None:
        value = {"messages": value}
    name = pinned or recognise(value)
    if name is None:
        return Decoded("auto", rejects=[Reject("unsupported", _unknown(value))])
    decoder = JSON_DECODERS.get(name)
    if decoder is None:
        raise InvalidRecordError(f"no decoder is named {name!r}: see ingest/decoders/table.py")
    if name not in REDACTS_ITSELF:
        value = context.redactor.value(value)
    return decoder.decode(value, context)


def _is_conversation(value: list[JsonValue]) -> bool:
    return bool(value) and all(isinstance(item, dict) and "role" in item for item in value)


def _unknown(value: JsonValue) -> str:
    if isinstance(value, dict):
        return f"JSON of no known kind, with the keys {sorted(value)[:12]}"
    kinds = sorted({type(item).__name__ for item in value}) if isinstance(value, list) else []
    return f"JSON of no known kind ({type(value).__name__} {' '.join(kinds)})"


def read_json(data: bytes) -> JsonValue:
    """Return the JSON value, leniently: NaN becomes null, a lone surrogate a question mark.

    Raises InvalidRecordError if it is none, or nested too deep.
    """
    try:
        return orjson.loads(data)  # type: ignore[no-any-return]
    except orjson.JSONDecodeError as strict:
        try:
            loose = json.loads(data, parse_constant=lambda name: None)
        except RecursionError as error:
            raise InvalidRecordError("JSON that is nested too deep") from error
        except ValueError:
            raise InvalidRecordError(f"no JSON: {strict}") from strict
    return _encodable(loose)


def _encodable(value: Any) -> JsonValue:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [_encodable(item) for item in value]
    if isinstance(value, dict):
        return {str(_encodable(name)): _encodable(item) for name, item in value.items()}
    return value  # type: ignore[no-any-return]
