"""Split: which side of the wall a task stands on, fixed by whom it comes from.

A group is a user, else a session, else the application's task, else the trace itself. Its side
is a hash of the seed and the group, so it never changes as more traces come in, and one user's
traces from several sources stand on one side. Drafting counts a trace without a user as that of
the user whom another trace of its session names (`kept_drafts.py`).
"""

import hashlib

from tracemill.curation.task import Split
from tracemill.ingest.trace import Trace


def group_of(trace: Trace) -> str:
    """Return what may not lie on both sides of a split."""
    if trace.user_id:
        return f"user {trace.user_id}"
    if trace.session_id:
        return f"session {trace.session_id}"
    return f"task {trace.task}" if trace.task else f"trace {trace.id}"


def split_of(group: str, *, seed: int, heldout_share: float) -> Split:
    """Return the group's side; `heldout_share` (0 to 1) of all groups are held out."""
    digest = hashlib.sha256(f"{seed}:{group}".encode()).digest()
    place = int.from_bytes(digest[:8], "big") / 2**64
    return "heldout" if place < heldout_share else "train"
