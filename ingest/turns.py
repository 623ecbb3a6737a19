"""Turns: the store's file is held while there is work, and given back so that others get theirs.

DuckDB lets one process have a file open. A worker that runs for ever would shut out mining, the
nights and the commands; one that opens the file for each batch would spend its time on that.
"""

import time
from collections.abc import Callable

from tracemill.errors import StoreLockedError
from tracemill.ingest.options import FollowOptions
from tracemill.ingest.store import Store


class Turns:
    """When this process has the store open, and when others may."""

    def __init__(self, store: Store, options: FollowOptions, is_done: Callable[[], bool]) -> None:
        self._store = store
        self._options = options
        self._is_done = is_done
        self.is_held = True
        """The store is given open."""
        self._since = time.monotonic()

    def take(self) -> None:
        """Hold the store, once others have had their chance and whoever has it is through.

        Raises StoreLockedError only if this worker is told to stop while it waits.
        """
        if self.is_held:
            return
        time.sleep(max(0.0, self._since + self._options.gap_seconds - time.monotonic()))
        while True:
            try:
                self._store.reopen(wait_seconds=1.0)
                break
            except StoreLockedError:
                if self._is_done():
                    raise
        self._store.shrink_cache()
        self.is_held, self._since = True, time.monotonic()

    def give(self) -> None:
        """Let others have the store."""
        if self.is_held:
            self._store.close()
            self.is_held, self._since = False, time.monotonic()

    @property
    def is_over(self) -> bool:
        """Whether others have waited for long enough."""
        return self.is_held and time.monotonic() - self._since >= self._options.hold_seconds
