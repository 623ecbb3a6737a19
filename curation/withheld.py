"""Withheld: what only the suite may see beside its own users, where the settings say so.

The latest days, so that the suite's tasks are newer than any training row, and failure modes, so
that it shows whether a repair carries over to what was never trained on. A trace of the training
side that falls under either gives no row; of the suite's side only the latest days stay.
"""

from typing import NamedTuple

from tracemill.curation.options import CurationOptions
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store

WITHHELD = "only the suite may see its days or its failure mode"
TOO_OLD = "older than the days that the suite is of"
"""Why a task of either side is left out."""


class Withheld(NamedTuple):
    """Traces by id."""

    from_training: tuple[str, ...] = ()
    suite: tuple[str, ...] | None = None
    """The only ones whose tasks the suite may hold; None: those of any time."""


def withheld(store: Store, options: CurationOptions) -> Withheld:
    """Return which traces give no training row whoever they come from, and which the suite may hold."""
    shown = _ids(store, "traces_of_modes", list(options.heldout_modes))
    if not options.heldout_days:
        return Withheld(tuple(sorted(shown)))
    recent = _ids(store, "recent_traces", options.heldout_days)
    return Withheld(tuple(sorted(shown | recent)), tuple(sorted(recent)))


def _ids(store: Store, question: str, parameter: object) -> set[str]:
    return {row[0] for row in store.execute(statement(__file__, question), [parameter])}
