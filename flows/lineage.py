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
from tracemill.ingest.redact import Redactor, load_key
from tracemill.ingest.store import Store
from tracemill.settings import Settings

PSEUDONYM = re.compile(r"user-[0-9a-f]{16}")


class Forgetting(NamedTuple):
    """What was taken out, and the model versions that were trained on it before."""

    forgotten: Forgotten
    versions: tuple[str, ...]
    """Versions marked in the registry."""


def explain_row(settings: Settings, row_id: str) -> Explanation:
    """Return where a row of a dataset came from; StoreError where there is none such."""
    with Store(settings.store_path) as store:
        return explain_in(store, settings.datasets_folder, row_id)


def forget_user(
    settings: Settings,
    user: str,
    *,
    now: datetime,
    open_registry: Callable[[Settings], Registry],
) -> Forgetting:
    """Take a user out of the store and the datasets, and mark the versions trained on them.

    `user` is the application's own id, or the pseudonym that traces carry.
    """
    pseudonym = user if PSEUDONYM.fullmatch(user) else pseudonym_of(settings, user)
    with Store(settings.store_path) as store:
        forgotten = forget_in(store, settings.datasets_folder, pseudonym, now=now)
    reached = [dataset.id for dataset in forgotten.datasets]
    marked = open_registry(settings).mark_forgotten(reached, now=now) if reached else ()
    return Forgetting(forgotten, marked)


def pseudonym_of(settings: Settings, user: str) -> str:
    """Return the name under which the store knows a user."""
    options = settings.ingest.redaction
    key = load_key(options.key_file or settings.store_path.with_name("redaction.key"))
    return Redactor(key, options).pseudonym(user)
