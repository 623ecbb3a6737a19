"""Lineage: from a row back to the wire, and a user out of everything, over the settings."""

import re
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from tracemill.curation.explain import Explanation
from tracemill.curation.explain import explain as explain_in
from tracemill.curation.forget import Forgotten
from tracemill.curation.forget import forget as forget_in
from tracemill.deploy.registry import Registry
from tracemill.flows.intake import reports_folder
from tracemill.flows.project_store import open_store
from tracemill.ingest.compaction import compact
from tracemill.ingest.forgotten import welcome_user
from tracemill.ingest.redact import Redactor, load_key
from tracemill.settings import Settings

PSEUDONYM = re.compile(r"user-[0-9a-f]{16}")


class Forgetting(NamedTuple):
    """What was taken out, and the model versions that were trained on it before."""

    forgotten: Forgotten
    versions: tuple[str, ...]
    """Versions marked in the registry."""


def explain_row(settings: Settings, row_id: str) -> Explanation:
    """Return where a row of a dataset came from; StoreError where there is none such."""
    with open_store(settings) as store:
        return explain_in(store, settings.datasets_folder, row_id)


def forget_user(
    settings: Settings,
    user: str,
    *,
    now: datetime,
    open_registry: Callable[[Settings], Registry],
) -> Forgetting:
    """Take a user out of the store and the datasets, and mark the versions trained on them.

    `user` is the application's own id, or the pseudonym that traces carry. The store's file is
    written anew, so that it holds nothing of the user in blocks that are free either. Pages of
    earlier nights, which may quote the user, are deleted.
    """
    redactor = _redactor(settings)
    with open_store(settings) as store:
        forgotten = forget_in(
            store,
            settings.datasets_folder,
            _pseudonym(redactor, user),
            now=now,
            pseudonym=redactor.pseudonym,
        )
    reached = [dataset.id for dataset in forgotten.datasets]
    marked = open_registry(settings).mark_forgotten(reached, now=now) if reached else ()
    for page in reports_folder(settings).glob("*.html"):
        page.unlink()
    compact(settings.store_path, wait_seconds=settings.project.wait_seconds)
    return Forgetting(forgotten, marked)


def undo_forgetting(settings: Settings, user: str) -> str:
    """Let ingest write the user's records again, and return the pseudonym they will have.

    Raises StoreError if the user was not forgotten.
    """
    pseudonym = _pseudonym(_redactor(settings), user)
    with open_store(settings) as store:
        welcome_user(store, pseudonym)
    return pseudonym


def pseudonym_of(settings: Settings, user: str) -> str:
    """Return the name under which the store knows a user."""
    return _redactor(settings).pseudonym(user)


def _pseudonym(redactor: Redactor, user: str) -> str:
    return user if PSEUDONYM.fullmatch(user) else redactor.pseudonym(user)


def _redactor(settings: Settings) -> Redactor:
    options = settings.ingest.redaction
    key = load_key(options.key_file or settings.store_path.with_name("redaction.key"))
    return Redactor(key, options)
