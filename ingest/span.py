"""Span: a timed piece of a trace as the wire gives it, whatever the dialect of its attributes.

It is what the store keeps until the trace is closed. All text in it is redacted.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from operator import attrgetter

import orjson
from pydantic import JsonValue


@dataclass(slots=True)
class SpanEvent:
    """Something that happened within a span, or a log record that names it."""

    name: str
    time_ns: int
    attributes: dict[str, JsonValue]
    body: JsonValue = None


@dataclass(slots=True)
class Span:
    """A span, or what one record tells of it: sayings of one span are merged when it is read."""

    trace_id: str
    """32 lower-case hex digits where the wire has an OTel id, else the id as it is."""
    span_id: str
    parent_id: str | None = None
    name: str = ""
    start_ns: int = 0
    """Since 1970; 0 where it is not known."""
    end_ns: int = 0
    error: str | None = None
    """Why it failed, "error" if it does not say; None if it did not fail."""
    attributes: dict[str, JsonValue] = field(default_factory=dict)
    events: list[SpanEvent] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)
    """(trace id, span id)."""
    scope: str = ""
    """Name of the instrumentation library."""
    dropped: int = 0
    """Attributes, events and links that the sender left out."""
    is_local_root: bool = False
    """Its parent is known to live in another process."""
    is_partial: bool = False
    """Says something of a span whose own record comes separately."""
    repeated_in: str | None = None
    """Id of the span whose history begins with this one's, which is left out here."""

    @property
    def is_root(self) -> bool:
        """Whether nothing above it belongs to this trace's own process."""
        return not self.is_partial and (self.parent_id is None or self.is_local_root)


_FIELDS = tuple(field.name for field in fields(Span))
_values = attrgetter(*_FIELDS)


def dump_spans(spans: Iterable[Span]) -> bytes:
    """Return the spans as a JSON list, of each the list of its fields' values.

    Raises TypeError if a number in one is beyond 64 bits.
    """
    return orjson.dumps([_values(span) for span in spans])


def load_spans(body: bytes) -> list[Span]:
    """Return the spans that `dump_spans` wrote, or objects of the fields, as older stores hold them."""
    spans = []
    for written in orjson.loads(body):
        # fields that were added since have defaults
        told = written if isinstance(written, dict) else dict(zip(_FIELDS, written, strict=False))
        told["events"] = [SpanEvent(**event) for event in told["events"]]
        told["links"] = [tuple(link) for link in told["links"]]
        spans.append(Span(**told))
    return spans


def merge_spans(spans: Iterable[Span]) -> list[Span]:
    """Return one span for each id: a resent one counts once, later sayings complete earlier ones."""
    merged: dict[str, Span] = {}
    for span in spans:
        known = merged.get(span.span_id)
        if known is None:
            merged[span.span_id] = span
        else:
            _complete(known, span)
    return list(merged.values())


def _complete(known: Span, said: Span) -> None:
    known.parent_id = said.parent_id or known.parent_id
    known.name = said.name or known.name
    known.start_ns = min(filter(None, (known.start_ns, said.start_ns)), default=0)
    known.end_ns = max(known.end_ns, said.end_ns)
    known.error = said.error or known.error
    known.attributes.update({k: v for k, v in said.attributes.items() if v is not None})
    known.events += [event for event in said.events if event not in known.events]
    known.links += [link for link in said.links if link not in known.links]
    known.scope = known.scope or said.scope
    known.dropped = max(known.dropped, said.dropped)
    known.is_local_root = known.is_local_root or said.is_local_root
    known.is_partial = known.is_partial and said.is_partial
    known.repeated_in = said.repeated_in or known.repeated_in
