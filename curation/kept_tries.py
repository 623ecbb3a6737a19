"""Kept tries: the champion's tries at its failures stay in the store until the champion changes.

A try draws its words by its prompt and seed alone, so one that was made is the one that would be
made again. Tries that an outage spoiled are not kept.
"""

from collections.abc import Sequence

from tracemill.curation.draft import Draft
from tracemill.curation.drafting_rules import code_of
from tracemill.curation.findings import prepare_tables
from tracemill.curation.options import CurationOptions
from tracemill.curation.rollout import Rollout
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store, pack_json, unpack_json
from tracemill.ingest.trace import ModelRef
from tracemill.record import content_id

_COLUMNS = ("trace_id", "task_id", "tried_by", "body")


def known_tries(
    store: Store, champion: ModelRef, options: CurationOptions, *, max_tokens: int
) -> tuple[Rollout, ...]:
    """Return the tries that need not be made again."""
    prepare_tables(store)
    asked = [_tried_by(champion, options, max_tokens)]
    rows = store.execute(statement(__file__, "known_tries"), asked)
    return tuple(Rollout.from_json(unpack_json(body)) for (body,) in rows)


def keep_tries(
    store: Store,
    tried: Draft,
    known: Sequence[Rollout],
    options: CurationOptions,
    *,
    max_tokens: int,
) -> None:
    """Write down the tries that are not among the known ones; those of another champion go."""
    if not tried.rollouts:
        return
    seen = {(each.task_id, each.seed) for each in known}
    tried_by = _tried_by(tried.rollouts[0].model, options, max_tokens)
    rows = [
        (tried.tried_traces[each.task_id], each.task_id, tried_by, pack_json(each.to_json()))
        for each in tried.rollouts
        if (each.task_id, each.seed) not in seen and _is_lasting(each)
    ]
    with store.transaction():
        store.execute(statement(__file__, "drop_other_tries"), [tried_by])
        store.append("champion_tries", _COLUMNS, rows)


def _is_lasting(rollout: Rollout) -> bool:
    """Whether trying again would come to the same."""
    return rollout.status == "scored" or rollout.is_truncated


def _tried_by(champion: ModelRef, options: CurationOptions, max_tokens: int) -> str:
    """A fingerprint of all that decides how a task's try goes."""
    asked = [champion.label, options.try_temperature, max_tokens, code_of(options)]
    return content_id("tries", asked)
