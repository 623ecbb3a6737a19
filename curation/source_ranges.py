"""Source ranges: the places on the wire that some traces came from, as few ranges as say it."""

from collections.abc import Iterable

from tracemill.ingest.trace import SourceRange


def merge_ranges(ranges: Iterable[SourceRange]) -> tuple[SourceRange, ...]:
    """Return the ranges ordered by topic, partition and offset, with those that touch joined."""
    merged: list[SourceRange] = []
    for each in sorted(ranges, key=_place):
        last = merged[-1] if merged else None
        if last is not None and _place(last)[:2] == _place(each)[:2] and _touch(last, each):
            end = max(last.last_offset, each.last_offset)
            merged[-1] = last.model_copy(update={"last_offset": end})
        else:
            merged.append(each)
    return tuple(merged)


def _touch(before: SourceRange, after: SourceRange) -> bool:
    return after.first_offset <= before.last_offset + 1


def _place(each: SourceRange) -> tuple[str, int, int, int]:
    return each.topic, each.partition, each.first_offset, each.last_offset
