"""Interruptible: a source that ends after the batch in hand when the process is told to stop."""

import signal
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Any, Self

from tracemill.ingest.wire import Batch, Resume, Source

SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Interruptible:
    """The source, until SIGTERM or Ctrl-C; what it has not yielded is left to the next run.

    Use it in a `with`, on the main thread: the handlers that were there come back at its end.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._before: dict[int, Any] = {}
        self.is_stopped = False

    def __enter__(self) -> Self:
        self._before = {number: signal.signal(number, self._stop) for number in SIGNALS}
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self.is_stopped = True

    def read(self, resume: Resume, batch_records: int) -> Iterator[Batch]:
        """Yield the source's batches until the process is told to stop."""
        for batch in self._source.read(resume, batch_records):
            yield batch
            if self.is_stopped:
                return
