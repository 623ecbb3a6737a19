"""Users: what customers and the people of the desk say afterwards.

Some customers press a thumb. What the agent could not do, people took over; for most of that they
note the call that would have been right. Nobody is told why it failed: an outage earns the same
thumbs and notes as a mistake.
"""

import random
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Literal

from examples.support_desk.agent import Served
from examples.support_desk.tools import Call
from tracemill.record import Record, content_id

THUMB_UP_SHARE = 0.35
"""Of fulfilled requests."""
THUMB_DOWN_SHARE = 0.45
"""Of requests that were not fulfilled."""
NOTE_SHARE = 0.85
"""Of requests that people took over: how often they note the right call."""


class Opinion(Record):
    """One piece of feedback, in the JSON that Tracemill reads from its feedback topic."""

    id: str
    trace_id: str
    name: Literal["thumb", "takeover"]
    score: float
    correction: Call | None = None
    step: int | None = None
    """Index of the answer that should have been the correction."""
    source: Literal["user", "expert"]
    created_at: datetime


def opinions(served: Iterable[Served], *, seed: int) -> tuple[Opinion, ...]:
    """Return what is said of these episodes, in their order."""
    return tuple(opinion for one in served for opinion in _opinions_of(one, seed))


def _opinions_of(served: Served, seed: int) -> list[Opinion]:
    rng = random.Random(f"users {seed} {served.trace_id}")
    is_fulfilled = served.verdict >= 1
    said = []
    if rng.random() < (THUMB_UP_SHARE if is_fulfilled else THUMB_DOWN_SHARE):
        said.append(_thumb(served, after=timedelta(minutes=rng.uniform(0.2, 3))))
    if not is_fulfilled and rng.random() < NOTE_SHARE:
        said.append(_takeover(served, after=timedelta(minutes=rng.uniform(5, 40))))
    return said


def _thumb(served: Served, *, after: timedelta) -> Opinion:
    return Opinion(
        id=content_id("thumb", served.trace_id),
        trace_id=served.trace_id,
        name="thumb",
        score=served.verdict,
        source="user",
        created_at=served.ended_at + after,
    )


def _takeover(served: Served, *, after: timedelta) -> Opinion:
    return Opinion(
        id=content_id("takeover", served.trace_id),
        trace_id=served.trace_id,
        name="takeover",
        score=0.0,
        correction=served.request.state.wish,
        step=len(served.prompt),
        source="expert",
        created_at=served.ended_at + after,
    )
