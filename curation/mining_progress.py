"""Mining progress: up to which commit of ingest has each detector read the store?"""

from collections.abc import Iterable
from typing import Protocol, TypeVar

from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store


class Versioned(Protocol):
    """What progress is kept of: a name and a version of it."""

    @property
    def name(self) -> str:
        """The detector's name."""
        ...

    @property
    def version(self) -> int:
        """A new one starts from the beginning."""
        ...


D = TypeVar("D", bound=Versioned)


def by_progress(store: Store, detectors: Iterable[D]) -> dict[int, list[D]]:
    """Return the detectors by the commit up to which they have read, so that each trace is read
    once for all of them."""
    due: dict[int, list[D]] = {}
    for detector in detectors:
        rows = store.execute(statement(__file__, "progress_of"), [detector.name, detector.version])
        due.setdefault(int(rows[0][0]) if rows else 0, []).append(detector)
    return due


def drop_stale(
    store: Store, detectors: Iterable[Versioned], since: int, *, were_read: bool
) -> None:
    """Delete the findings that this run will make anew, also those of a run that was killed.

    `were_read` says whether any of the traces changed since was ever read: if none was, they
    have no findings.
    """
    names, versions = zip(*((each.name, each.version) for each in detectors), strict=True)
    with store.transaction():
        if since == 0:
            store.execute(statement(__file__, "other_versions"), [list(names), list(versions)])
        if were_read:
            store.execute(statement(__file__, "drop_stale_findings"), [list(names), since])


def remember(store: Store, detectors: Iterable[Versioned], upto: int) -> None:
    """Write down that these detectors have read up to the commit `upto`."""
    with store.transaction():
        for detector in detectors:
            store.execute(statement(__file__, "forget_progress"), [detector.name])
            store.append(
                "mining_progress",
                ("detector", "version", "changed_at"),
                [(detector.name, detector.version, upto)],
            )


def retire(store: Store, names: Iterable[str]) -> frozenset[str]:
    """Drop what was found by detectors that have none of these names, and return its nights.

    So it goes when a team takes back a rule of its own.
    """
    rows = store.execute(statement(__file__, "retired_detectors"), [list(names)])
    gone = [detector for (detector,) in rows]
    if not gone:
        return frozenset()
    nights = store.execute(statement(__file__, "nights_of_detectors"), [gone])
    with store.transaction():
        store.execute(statement(__file__, "forget_detectors"), [gone])
        for name in gone:
            store.execute(statement(__file__, "forget_progress"), [name])
    return frozenset(night for (night,) in nights)
