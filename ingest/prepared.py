"""Prepared: what a batch of records becomes before the store is asked anything.

A few records at a time go all the way, to rows: their spans are still in the processor's cache
then, and are let go before the next ones come.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple, TypeVar

from tracemill.ingest.decoded import Context, Decoded
from tracemill.ingest.fragments import Fragment, Fragments
from tracemill.ingest.ladder import decode
from tracemill.ingest.ready_traces import Ready, made_ready
from tracemill.ingest.store import new_packer
from tracemill.ingest.wire import WireRecord

T = TypeVar("T")

AT_ONCE = 32
"""Records."""


class Prepared(NamedTuple):
    """Records, decoded; their spans lie in the fragments."""

    decoded: Sequence[tuple[WireRecord, Decoded]]
    spans: int
    """How many there were."""
    fragments: Sequence[Fragment]
    ready: Sequence[Ready]
    """Traces of which all spans seem to be there."""


def prepare(contexts: Iterable[Context]) -> Prepared:
    """Decode the records, and rebuild the traces whose root came with them."""
    fragments, packer = Fragments(), new_packer()
    decoded: list[tuple[WireRecord, Decoded]] = []
    ready: list[Ready] = []
    spans = 0
    for some in _slices(contexts, AT_ONCE):
        for context in some:
            one = decode(context)
            one.rejects += fragments.add(context.record, one.spans)
            spans += len(one.spans)
            one.spans = []
            decoded.append((context.record, one))
        ready += made_ready(fragments.pack_rooted(), packer)
    return Prepared(decoded, spans, fragments.pack_all(), ready)


def _slices(items: Iterable[T], size: int) -> Iterator[list[T]]:
    iterator = iter(items)
    while some := list(islice(iterator, size)):
        yield some
