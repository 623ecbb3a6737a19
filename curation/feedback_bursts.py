"""Feedback bursts: one user who says more in one day than anybody should be heard with.

A burst may be a bot, a grudge or an attempt to teach the agent something. What goes beyond the
cap gives no reference, and is reported.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store


class FeedbackBurst(NamedTuple):
    """A user's day with too much feedback."""

    user_id: str
    day: str
    """ISO date, UTC."""
    ignored: int
    """Judgements beyond the cap."""


class Bursts(NamedTuple):
    """All bursts, and what is ignored by them."""

    days: tuple[FeedbackBurst, ...]
    ignored: Mapping[str, frozenset[str]]
    """Trace → ids of its feedback."""


def find_bursts(store: Store, *, most_a_day: int) -> Bursts:
    """Return where one user gave more than `most_a_day` judgements in one day."""
    rows = store.execute(statement(__file__, "feedback_bursts"), [most_a_day])
    counts = Counter((user, day) for *_, user, day in rows)
    ignored: defaultdict[str, set[str]] = defaultdict(set)
    for trace_id, feedback_id, *_ in rows:
        ignored[trace_id].add(feedback_id)
    return Bursts(
        tuple(FeedbackBurst(user, day, count) for (user, day), count in sorted(counts.items())),
        {trace_id: frozenset(ids) for trace_id, ids in ignored.items()},
    )
