"""Data loss: the store wants an offset that its topic does not hold; the team chooses what then.

A topic that was made anew ends before the offset; retention that was too short begins after it.
"""

from typing import Literal, NamedTuple

from tracemill.errors import SourceUnavailableError
from tracemill.ingest.wire import DataLoss

LossChoice = Literal["refuse", "earliest", "latest"]


class Held(NamedTuple):
    """The offsets that a partition holds: from `first` to before `end`."""

    topic: str
    partition: int
    first: int
    end: int


def lost(held: Held, wanted: int | None, choice: LossChoice) -> DataLoss | None:
    """Return what is lost by going on as chosen; None if the partition holds what is wanted.

    Raises SourceUnavailableError, with the choices, where the choice is to refuse.
    """
    if wanted is None or held.first <= wanted <= held.end:
        return None
    place = f"partition {held.partition} of topic {held.topic!r}"
    if wanted > held.end:
        known = 0
        reason = f"read up to offset {wanted}, but it ends at {held.end}: the topic was made anew"
    else:
        known = held.first - wanted
        reason = f"read up to offset {wanted}, but it begins at {held.first}: records were deleted"
    if choice == "refuse":
        raise SourceUnavailableError(
            f"The store has {place} {reason}. Choose on_data_loss = 'earliest' to read what is "
            "there, or 'latest' to go on with what comes; the loss is then recorded."
        )
    read_from = held.first if choice == "earliest" else held.end
    return DataLoss(held.topic, held.partition, wanted, read_from, known, reason)
