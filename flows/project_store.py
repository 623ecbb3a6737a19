"""Project store: the store of a project, waited for while another process has its turn."""

from collections.abc import Callable

from tracemill.errors import StoreLockedError
from tracemill.ingest.store import Store
from tracemill.settings import Settings

LOOK_SECONDS = 1.0
"""Between two questions whether to wait on."""


def open_store(settings: Settings) -> Store:
    """Return the project's store, opened.

    Raises StoreLockedError if another process still holds it after the settings' `wait_seconds`.
    """
    return Store(settings.store_path, wait_seconds=settings.project.wait_seconds)


def open_store_when_free(settings: Settings, is_done: Callable[[], bool]) -> Store:
    """Return the project's store, opened, however long others have it.

    Raises StoreLockedError if `is_done` before it is free.
    """
    while True:
        try:
            return Store(settings.store_path, wait_seconds=LOOK_SECONDS)
        except StoreLockedError:
            if is_done():
                raise
