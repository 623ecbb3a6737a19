"""The spans of one OTLP scope, redacted, and without what a later one of them says again.

A model call carries the whole conversation before it, so most of a trace's text is repetition.
Where the next call of the same parent begins with a call's history letter for letter, that is kept
once: the earlier call names the later one instead.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import JsonValue

from tracemill.ingest.decoded import Context, Decoded
from tracemill.ingest.decoders.cleaning import clean
from tracemill.ingest.decoders.evaluations import add_feedback, has_feedback
from tracemill.ingest.dialects.attributes import ALIASES
from tracemill.ingest.dialects.dialect import Dialect, is_continued
from tracemill.ingest.dialects.table import HISTORIES, dialect_of
from tracemill.ingest.redact import Redactor
from tracemill.ingest.span import Span

SHARED_KEYS = ("service.name", *ALIASES["tenant"])
"""Attributes of a resource that each of its spans has, too."""

Attributes = Mapping[str, Any]


class _Call(NamedTuple):
    """A model call, as it came."""

    span_id: str
    dialect: Dialect
    attributes: Attributes


class Scope(NamedTuple):
    """The spans of one instrumentation library in a record."""

    place: str
    """Within the record."""
    spans: Sequence[tuple[int, Span]]
    """Each with its index there, its attributes as they came."""
    shared: Mapping[str, JsonValue]
    """Attributes that their resource shares with them."""


def add_spans(scope: Scope, decoded: Decoded, context: Context) -> None:
    """Add the spans, redacted, and their feedback; one that cannot be redacted is a reject."""
    later: dict[tuple[str, str | None], _Call] = {}

    def redacted(span: Span) -> Span:
        call = _as_call(span)
        place = (span.trace_id, span.parent_id)
        if call is not None and (next_call := later.get(place)) is not None:
            span.attributes = _unrepeated(span, call, next_call)
        span.attributes = clean(span.attributes, context.redactor)
        for name, value in scope.shared.items():
            span.attributes.setdefault(name, value)
        if call is not None:
            later[place] = call
        return span

    for index, span in reversed(decoded.each(scope.place, reversed(scope.spans), redacted)):
        decoded.spans.append(span)
        if has_feedback(span):
            with decoded.part(f"{scope.place}[{index}]"):
                add_feedback(span, decoded, context)


def _as_call(span: Span) -> _Call | None:
    if HISTORIES.isdisjoint(span.attributes):
        return None
    dialect, kind = dialect_of(span)
    if dialect is None or kind != "model" or dialect.history is None:
        return None
    return _Call(span.span_id, dialect, span.attributes)


def _unrepeated(span: Span, call: _Call, later: _Call) -> dict[str, Any]:
    """Return the span's attributes without what the later call repeats; the span then names it."""
    history = call.dialect.history or ""
    told, again = call.attributes, later.attributes
    if later.dialect is not call.dialect or not is_continued(told[history], again[history]):
        return span.attributes
    span.repeated_in = later.span_id
    alike = {name for name in call.dialect.repeated if told.get(name) == again.get(name)}
    return {k: v for k, v in told.items() if k != history and k not in alike}


def shared_by(resource: Attributes, redactor: Redactor) -> dict[str, JsonValue]:
    """Return those attributes of a resource that its spans have, too."""
    return clean({key: resource[key] for key in SHARED_KEYS if key in resource}, redactor)
