"""Cycle search: Python's search for reference cycles, paused while many traces are read.

Traces have no cycles, and looking for them among the many objects of a page takes as long as the
work itself.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_cycle_search() -> Iterator[None]:
    """Pause the search, if it was on."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
