"""Decoded: what a decoder made of one record."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from tracemill.errors import InvalidRecordError
from tracemill.ingest.options import TopicOptions
from tracemill.ingest.redact import Redactor
from tracemill.ingest.span import Span
from tracemill.ingest.trace import Feedback, Trace
from tracemill.ingest.wire import WireRecord

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

    @contextmanager
    def part(self, path: str) -> Iterator[None]:
        """Record what goes wrong inside as a reject of this part, so that the others live on."""
        try:
            yield
        except InvalidRecordError as error:
            self.rejects.append(Reject("invalid", str(error), path))
        except Exception as error:  # noqa: BLE001  # the boundary: any bad input is a reject
            reason = f"{type(error).__name__}: {error}"[:500]
            self.rejects.append(Reject("invalid", reason, path))
