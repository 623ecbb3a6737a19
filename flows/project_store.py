"""Project store: the store of a project, waited for while another process has its turn."""

from tracemill.ingest.store import Store
from tracemill.settings import Settings


def open_store(settings: Settings) -> Store:
    """Return the project's store, opened.

    Raises StoreLockedError if another process still holds it after the settings' `wait_seconds`.
    """
    return Store(settings.store_path, wait_seconds=settings.project.wait_seconds)
