"""Trace rows: traces into the store, a changed one as a new revision, the same one not again."""

import hashlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import zstandard
from pydantic import TypeAdapter

from tracemill.ingest.decoded import Episode
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store, new_packer, unpack_trace
from tracemill.ingest.trace import Trace

BESIDE_CONTENT = {"revision", "sources", "started_at"}
COLUMNS = (
    "changed_at", "id", "revision", "started_at", "session_id", "user_id", "model_name",
    "model_version", "dialect", "content_hash", "aliases", "body",
)  # fmt: skip
NOT_CONTENT = {"revision", "sources", "feedback", "started_at"}
"""What a resent record may change: one without a time of its own has its record's."""


_AS_JSON = TypeAdapter(Trace)
"""Writes a trace as the bytes of its JSON, without a text in between."""


class Written(NamedTuple):
    """What became of some traces."""

    new: int = 0
    revised: int = 0
    unchanged: int = 0

    @property
    def change(self) -> int:
        """How many were written."""
        return self.new + self.revised


class _Known(NamedTuple):
    """A trace as the store holds it."""

    revision: int
    content_hash: str


def write_traces(store: Store, episodes: Iterable[Episode], change: int) -> Written:
    """Write the traces as of commit number `change`; call it inside a transaction.

    A log of the same conversation that stops earlier changes nothing.
    """
    latest: dict[str, Episode] = {}
    for episode in episodes:
        _keep_longest(latest, episode)
    known = _known(store, latest)
    for trace_id in [name for name, one in latest.items() if one.other_id and name in known]:
        if not _related(_stored(store, trace_id), latest[trace_id].trace):
            _keep_longest(latest, _renamed(latest.pop(trace_id)))
    known = _known(store, latest)
    written = [
        (one, known.get(name, _Known(0, "")))
        for name, episode in latest.items()
        if (one := _changed(store, episode, known.get(name))) is not None
    ]
    packer = new_packer()
    new = [(change, *row_of(one, 0, packer)) for one, old in written if not old.revision]
    changed = [(change, *row_of(one, old.revision, packer)) for one, old in written if old.revision]
    drop_ready(store, [one.trace.id for one, old in written if not old.revision])
    store.append("trace_rows", COLUMNS, new)
    if changed:
        store.upsert("trace_rows", COLUMNS, changed)
    revised = len(changed)
    return Written(len(written) - revised, revised, len(latest) - len(written))


def _known(store: Store, ids: Iterable[str]) -> dict[str, _Known]:
    rows = store.execute(statement(__file__, "traces_known"), [list(ids)])
    return {trace_id: _Known(revision, content) for trace_id, revision, content in rows}


def _keep_longest(latest: dict[str, Episode], episode: Episode) -> None:
    """Keep the episode, unless one of its id goes beyond it."""
    known = latest.get(episode.trace.id)
    if known is None:
        latest[episode.trace.id] = episode
    elif episode.other_id and not _related(known.trace, episode.trace):
        latest[episode.other_id] = _renamed(episode)
    elif not _begins(known.trace, episode.trace):
        latest[episode.trace.id] = episode._replace(trace=_grown(known.trace, episode.trace))


def _renamed(episode: Episode) -> Episode:
    trace = episode.trace.model_copy(update={"id": episode.other_id})
    return Episode(trace, episode.aliases)


def _changed(store: Store, episode: Episode, known: _Known | None) -> Episode | None:
    """Return the episode as it is to be written; None if the store holds it, or more."""
    if known is None:
        return episode
    if known.content_hash == content_hash(episode.trace):
        return None
    stored = _stored(store, episode.trace.id)
    if _begins(stored, episode.trace):
        return None
    return episode._replace(trace=_grown(stored, episode.trace))


def _stored(store: Store, trace_id: str) -> Trace:
    return unpack_trace(store.execute(statement(__file__, "trace_body"), [trace_id])[0][0])


def _begins(whole: Trace, part: Trace) -> bool:
    """Whether a part's messages are fewer, and the beginning of the whole's."""
    count = len(part.messages)
    return count < len(whole.messages) and whole.messages[:count] == part.messages


def _related(one: Trace, other: Trace) -> bool:
    """Whether one of them continues the other, or they are alike."""
    count = min(len(one.messages), len(other.messages))
    return one.messages[:count] == other.messages[:count]


def _grown(before: Trace, after: Trace) -> Trace:
    """Return the longer log with what only the shorter one knows of earlier messages."""
    if not _begins(after, before):
        return after
    named = {step.message for step in after.steps}
    steps = [step for step in before.steps if step.message not in named]
    return after.model_copy(
        update={
            "steps": tuple(sorted((*steps, *after.steps), key=lambda step: step.message)),
            "sources": (*before.sources, *after.sources),
            "started_at": min(before.started_at, after.started_at),
        }
    )


def content_hash(trace: Trace) -> str:
    """Return a hash of what makes the trace another revision."""
    return _hash(_AS_JSON.dump_json(trace, exclude=NOT_CONTENT))


def _hash(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def write_open(store: Store, batch: int, rows: Iterable[tuple[object, ...]]) -> None:
    """Write rows of traces that are still open, made ready in this batch; inside a transaction."""
    store.append("trace_rows", COLUMNS, ((-batch, *row) for row in rows))


def drop_ready(store: Store, ids: Sequence[str]) -> None:
    """Throw away what was made ready of these traces; inside a transaction."""
    store.execute(statement(__file__, "ready_traces_drop"), [ids])


def row_of(episode: Episode, revision: int, packer: zstandard.ZstdCompressor) -> tuple[object, ...]:
    """Return the trace's columns after the first, as the revision after `revision`."""
    trace = episode.trace
    if trace.revision != revision + 1:
        trace = trace.model_copy(update={"revision": revision + 1})
    content = _AS_JSON.dump_json(trace, exclude=NOT_CONTENT)
    rest = _AS_JSON.dump_json(trace, include=BESIDE_CONTENT)
    return (
        trace.id,
        trace.revision,
        trace.started_at,
        trace.session_id,
        trace.user_id,
        trace.model.name,
        trace.model.version,
        trace.dialect,
        _hash(content),
        list(episode.aliases),
        packer.compress(b"%b,%b" % (content[:-1], rest[1:])),  # both halves are JSON objects
    )
