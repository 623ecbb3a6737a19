"""Trace rows: traces into the store, a changed one as a new revision, the same one not again."""

import hashlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tracemill.ingest.decoded import Episode
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store
from tracemill.ingest.trace import Trace

COLUMNS = (
    "id", "revision", "changed_at", "started_at", "session_id", "user_id", "model_name",
    "model_version", "dialect", "content_hash", "aliases", "body",
)  # fmt: skip
NOT_CONTENT = {"revision", "sources", "feedback", "started_at"}
"""What a resent record may change: one without a time of its own has its record's."""


class Written(NamedTuple):
    """What became of some traces."""

    new: int = 0
    revised: int = 0
    unchanged: int = 0

    @property
    def change(self) -> int:
        """How many were written."""
        return self.new + self.revised


def write_traces(store: Store, episodes: Iterable[Episode], change: int) -> Written:
    """Write the traces as of commit number `change`; call it inside a transaction."""
    latest = _longest_of_each(episodes)
    known = {
        row[0]: row for row in store.execute(statement(__file__, "traces_known"), [list(latest)])
    }
    rows: list[tuple[object, ...]] = []
    revised = 0
    for episode in latest.values():
        content_hash = _content_hash(episode.trace)
        _, revision, known_hash, _ = known.get(episode.trace.id, ("", 0, "", ""))
        if known_hash == content_hash or (revision and _is_beginning(store, episode.trace)):
            continue
        revised += revision > 0
        trace = episode.trace.model_copy(update={"revision": revision + 1})
        rows.append(_row(Episode(trace, episode.aliases), change, content_hash))
    if rows:
        store.upsert("traces", COLUMNS, rows)
    return Written(len(rows) - revised, revised, len(latest) - len(rows))


def _longest_of_each(episodes: Iterable[Episode]) -> dict[str, Episode]:
    """Return the last episode of each id, but none that an earlier one goes beyond."""
    latest: dict[str, Episode] = {}
    for episode in episodes:
        known = latest.get(episode.trace.id)
        if known is None or not _begins(known.trace, episode.trace):
            latest[episode.trace.id] = episode
    return latest


def _begins(whole: Trace, part: Trace) -> bool:
    """Whether a part's messages are fewer, and the beginning of the whole's."""
    return len(part.messages) < len(whole.messages) and _starts(whole.messages, part.messages)


def _starts(whole: Sequence[object], part: Sequence[object]) -> bool:
    return tuple(whole[: len(part)]) == tuple(part)


def _is_beginning(store: Store, trace: Trace) -> bool:
    """Whether the stored trace goes beyond this one: a chat log repeats what came before it."""
    rows = store.execute(statement(__file__, "trace_body"), [trace.id])
    return bool(rows) and _begins(Trace.from_json(rows[0][0]), trace)


def _content_hash(trace: Trace) -> str:
    content = trace.model_dump_json(exclude=NOT_CONTENT)
    return hashlib.blake2b(content.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _row(episode: Episode, change: int, content_hash: str) -> tuple[object, ...]:
    trace = episode.trace
    return (
        trace.id,
        trace.revision,
        change,
        trace.started_at,
        trace.session_id,
        trace.user_id,
        trace.model.name,
        trace.model.version,
        trace.dialect,
        content_hash,
        list(episode.aliases),
        trace.to_json(),
    )
