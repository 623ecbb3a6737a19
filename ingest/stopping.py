"""Stopping: SIGTERM and Ctrl-C end the work after the batch in hand, not in the middle of it."""

import signal
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Any, Self

from tracemill.ingest.wire import Batch, Resume, Source

SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Stop:
    """Whether the process was told to stop.

    Use it in a `with`, on the main thread: the handlers that were there come back at its end.
    """

    def __init__(self) -> None:
        self._before: dict[int, Any] = {}
        self.by: str | None = None
        """The signal that came, such as "SIGTERM"."""

    @property
    def is_set(self) -> bool:
        """Whether a signal came."""
        return self.by is not None

    def __enter__(self) -> Self:
        self._before = {number: signal.signal(number, self._note) for number in SIGNALS}
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.by = signal.Signals(number).name


class Interruptible(Stop):
    """The source, until the process is told to stop; the rest is left to the next run."""

    def __init__(self, source: Source) -> None:
        super().__init__()
        self._source = source

    def read(self, resume: Resume, batch_records: int) -> Iterator[Batch]:
        """Yield the source's batches until the process is told to stop."""
        for batch in self._source.read(resume, batch_records):
            yield batch
            if self.is_set:
                return
