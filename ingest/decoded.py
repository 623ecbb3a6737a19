"""Decoded: what a decoder made of one record."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import TracebackType
from typing import Literal, NamedTuple, TypeVar

from tracemill.errors import InvalidRecordError
from tracemill.ingest.options import TopicOptions
from tracemill.ingest.redact import Redactor
from tracemill.ingest.span import Span
from tracemill.ingest.trace import Feedback, Trace
from tracemill.ingest.wire import WireRecord

T = TypeVar("T")
R = TypeVar("R")

RejectClass = Literal["undecodable", "invalid", "unsupported", "transient"]
"""No known encoding · known, but broken · sound, but not for this version · try again later."""


class Episode(NamedTuple):
    """A whole trace from one record, and the other ids by which feedback may name it."""

    trace: Trace
    aliases: tuple[str, ...] = ()
    other_id: str | None = None
    """The id if the trace's own, which is a guess by how it opens, is another trace's."""


class Reject(NamedTuple):
    """A record, or a part of it, that cannot become a trace."""

    reject_class: RejectClass
    reason: str
    path: str = ""
    """Place within the record; empty: the whole."""


class Context(NamedTuple):
    """What a decoder needs beside the value."""

    record: WireRecord
    redactor: Redactor
    topic: TopicOptions

    @property
    def record_time(self) -> datetime:
        """When the record was written, as its producer or broker says."""
        return datetime.fromtimestamp(self.record.timestamp_ms / 1000, UTC)


@dataclass(slots=True)
class Decoded:
    """What a decoder made of one record; it may be a bit of everything."""

    decoder: str
    spans: list[Span] = field(default_factory=list)
    episodes: list[Episode] = field(default_factory=list)
    feedback: list[Feedback] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)
    ignored: int = 0
    """Parts that are known to hold nothing for us (metrics, log lines, heartbeats)."""

    def take(self, part: "Decoded", path: str) -> None:
        """Add what was made of a part of the record."""
        self.spans += part.spans
        self.episodes += part.episodes
        self.feedback += part.feedback
        self.ignored += part.ignored
        self.rejects += [one._replace(path=f"{path}{one.path}") for one in part.rejects]

    def part(self, path: str) -> "Part":
        """Record what goes wrong inside as a reject of this part, so that the others live on."""
        return Part(self, path)

    def each(
        self, path: str, items: Iterable[tuple[int, T]], read: Callable[[T], R]
    ) -> list[tuple[int, R]]:
        """Return what `read` makes of the items of the list at `path`, each with its index there.

        What goes wrong with one is a reject of that one: many `part`s, but faster.
        """
        done: list[tuple[int, R]] = []
        for index, item in items:
            try:
                done.append((index, read(item)))
            except Exception as error:  # noqa: BLE001 - the boundary around a part
                self.reject(error, f"{path}[{index}]")
        return done

    def reject(self, error: Exception, path: str) -> None:
        """Record that the part at `path` cannot be read."""
        is_ours = isinstance(error, InvalidRecordError)
        reason = str(error) if is_ours else f"{type(error).__name__}: {error}"[:500]
        self.rejects.append(Reject("invalid", reason, path))


class Part:
    """The boundary around a part of a record: whatever it holds, the others are read."""

    __slots__ = ("_decoded", "_path")

    def __init__(self, decoded: Decoded, path: str) -> None:
        self._decoded = decoded
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        if error is None or not isinstance(error, Exception):
            return False
        self._decoded.reject(error, self._path)
        return True
