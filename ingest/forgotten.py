"""Forgotten: users whose records are not written again, from wherever they come a second time.

The store keeps the pseudonyms of those who asked to be forgotten, and digests of the ids by which
a late span or a judgement may name one of their traces; never the ids themselves.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import TypeVar

from tracemill.errors import StoreError
from tracemill.ingest.dead_letters import DeadLetter
from tracemill.ingest.decoded import Episode
from tracemill.ingest.dialects.attributes import users_of, value_of
from tracemill.ingest.fragments import Gathered
from tracemill.ingest.ready_traces import Ready
from tracemill.ingest.redact import Redactor
from tracemill.ingest.span import Span
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store
from tracemill.ingest.trace import Feedback
from tracemill.ingest.user_search import words_in

T = TypeVar("T")


class ForgottenUsers:
    """Those whom the store has forgotten, as of the transaction that asks."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._users = frozenset(
            user for (user,) in store.execute(statement(__file__, "forgotten_users"))
        )
        self.refused = 0
        """Traces, judgements and dead letters that were left out so far."""

    def without_episodes(self, episodes: list[Episode]) -> list[Episode]:
        """Return the episodes of others; of theirs, only digests of the names are kept."""
        if not self._users:
            return episodes
        known = self._known([one.trace.id for one in episodes if one.trace.user_id is None])
        return self._less(episodes, [one for one in episodes if self._is_other(one, known)])

    def _is_other(self, episode: Episode, known: set[str]) -> bool:
        trace = episode.trace
        if trace.user_id is None:
            return trace.id not in known
        if trace.user_id not in self._users:
            return True
        session = [trace.session_id] if trace.session_id else []
        self._remember(trace.user_id, [trace.id, *episode.aliases, *session])
        return False

    def without_pieces(self, traces: Sequence[Gathered]) -> Sequence[Gathered]:
        """Return the traces in pieces of others; theirs are taken out of the fragments."""
        if not self._users:
            return traces
        known = self._known([one.trace_id for one in traces])
        kept = [one for one in traces if self._are_others(one, known)]
        gone = {one.trace_id for one in traces} - {one.trace_id for one in kept}
        if gone:
            self._store.execute(statement(__file__, "fragments_remove"), [sorted(gone)])
        return self._less(traces, kept)

    def without_ready(self, ready: Sequence[Ready]) -> Sequence[Ready]:
        """Return those of which it is sure that they are others'; the rest is told at closing."""
        if not self._users:
            return ready
        known = self._known([one.trace_id for one in ready])
        return [
            one for one in ready if one.trace_id not in known and self._users.isdisjoint(one.users)
        ]

    def _are_others(self, gathered: Gathered, known: set[str]) -> bool:
        users = users_of(gathered.spans)
        if theirs := users & self._users:
            self._remember(min(theirs), [gathered.trace_id, *_names_of(gathered.spans)])
            return False
        return bool(users) or gathered.trace_id not in known

    def without_feedback(self, said: list[Feedback]) -> list[Feedback]:
        """Return what was said of others."""
        if not self._users or not said:
            return said
        known = self._known([one.target for one in said])
        return self._less(said, [one for one in said if one.target not in known])

    def without_letters(self, letters: list[DeadLetter], redactor: Redactor) -> list[DeadLetter]:
        """Return the dead letters in which none of them is named."""
        if not self._users:
            return letters

        def is_theirs(word: str) -> bool:
            return word in self._users or redactor.pseudonym(word) in self._users

        kept = [one for one in letters if not any(map(is_theirs, words_in(one.record)))]
        return self._less(letters, kept)

    def _less(self, before: Sequence[T], after: list[T]) -> list[T]:
        self.refused += len(before) - len(after)
        return after

    def _known(self, names: Sequence[str]) -> set[str]:
        """Those of the names that belong to traces of forgotten users."""
        digests = {_digest(name): name for name in names}
        found = self._store.execute(statement(__file__, "forgotten_known"), [list(digests)])
        return {digests[digest] for (digest,) in found}

    def _remember(self, user_id: str, names: Sequence[str]) -> None:
        """Refuse what will name these, and take out what was said of them."""
        self._store.execute(statement(__file__, "forgotten_names_add"), [list(names), user_id])
        self._store.execute(statement(__file__, "forgotten_feedback"), [list(names)])


def is_forgotten(store: Store, user_id: str) -> bool:
    """Return whether nothing of this user (a pseudonym) is written."""
    return (user_id,) in store.execute(statement(__file__, "forgotten_users"))


def forget_user(store: Store, user_id: str, traces: Sequence[str], *, now: datetime) -> None:
    """Write nothing of this user from now on; call it while the rows of the traces are there.

    What was said of the traces, by any of their names, goes at once. Inside a transaction.
    """
    store.execute(statement(__file__, "forgotten_users_add"), [user_id, now])
    names = [
        name for (name,) in store.execute(statement(__file__, "forgotten_names_of"), [list(traces)])
    ]
    every = [*names, *(one for one in traces if one not in set(names))]
    store.execute(statement(__file__, "forgotten_names_add"), [every, user_id])
    store.execute(statement(__file__, "forgotten_feedback"), [every])


def welcome_user(store: Store, user_id: str) -> None:
    """Let ingest write records of this user again: those that come from now on, or are re-read.

    Raises StoreError if the user was not forgotten.
    """
    with store.transaction():
        if not store.execute(statement(__file__, "forgotten_users_remove"), [user_id]):
            raise StoreError(f"{user_id!r} is not among the forgotten users: nothing to undo")
        store.execute(statement(__file__, "forgotten_names_remove"), [user_id])


def _names_of(spans: Iterable[Span]) -> Iterator[str]:
    for span in spans:
        yield span.span_id
        for field in ("response_id", "session"):
            if (name := value_of(span, field)) is not None:
                yield str(name)


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
