"""Draft: from findings to tasks that can be trusted.

A failing step becomes a task only if a reference is at hand and the task's checks accept it and
reject what the agent did. Healthy decisions of passing traces become tasks of origin
"production". Nothing is left out without being counted, and a trace that met an outage yields
nothing at all. What a trace yields by itself is kept in the store (`kept_drafts.py`); what depends
on other traces (repeats, caps, siblings, reach of the suite) is settled anew from what was kept.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from tracemill.curation.caps import capped_pairs
from tracemill.curation.cycle_search import without_cycle_search
from tracemill.curation.drafted_rows import (
    candidates,
    count_drafts,
    judgements,
    refusals,
    sources,
)
from tracemill.curation.feedback_bursts import Bursts, FeedbackBurst, find_bursts
from tracemill.curation.findings import prepare_tables
from tracemill.curation.kept_drafts import bring_up_to_date, read_as_drafted
from tracemill.curation.options import CurationOptions
from tracemill.curation.rollout import Rollout
from tracemill.curation.rows import Pair, Unpaired
from tracemill.curation.selection import Repeat, out_of_reach, select
from tracemill.curation.siblings import forks, make_pairs
from tracemill.curation.task import Task
from tracemill.curation.withheld import withheld
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store
from tracemill.ingest.trace import SourceRange


@dataclass(frozen=True)
class Draft:
    """Tasks, rows that need no task, and what was left out on the way."""

    tasks: tuple[Task, ...]
    """Ordered by id; both sides of the split."""
    refused: dict[str, int]
    """Reason → how many steps, traces or tasks it left out."""
    traces: int
    """Traces that were read."""
    sources: tuple[SourceRange, ...]
    """Every place on the wire that these traces came from."""
    detectors: dict[str, int]
    """Detector → version, of all that have read the store."""
    unreferenced: tuple[Task, ...] = ()
    """Failing steps whose reference is still empty: a try of the champion may give one."""
    siblings: tuple[Pair, ...] = ()
    """Pairs of a passing and a failing trace that part at one step, of the training side."""
    unpaired: tuple[Unpaired, ...] = ()
    """Judgements that no pair could be made of, of the training side."""
    rollouts: tuple[Rollout, ...] = ()
    """The champion's tries, where it was tried."""
    tried_traces: Mapping[str, str] = field(default_factory=dict)
    """Task that was tried → its trace; some of the tasks are set aside by how they went."""
    repeats: tuple[Repeat, ...] = ()
    """Which exact and near duplicates were left out, and of what."""
    bursts: tuple[FeedbackBurst, ...] = ()
    """Users with more feedback in a day than is listened to."""


def draft(
    store: Store,
    options: CurationOptions,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> Draft:
    """Return the tasks, and the rows that need none, that the store's traces and findings yield.

    Only what is new to it is drafted; `progress` hears (traces drafted, of how many).
    """
    prepare_tables(store)
    bursts = find_bursts(store, most_a_day=options.max_feedback_per_user_day)
    with without_cycle_search():
        bring_up_to_date(store, options, bursts, progress)
        return _chosen(store, options, bursts)


def _chosen(store: Store, options: CurationOptions, bursts: Bursts) -> Draft:
    """The draft of what is kept of all traces."""
    kept_back = withheld(store, options)
    drafted = candidates(store, options, kept_back)
    selected = select(drafted.tasks, options, tenants=drafted.tenants)
    suite = [task for task in selected.tasks if task.split == "heldout"]
    rest: Counter[str] = Counter()
    pairs = _sibling_pairs(store, options, without=kept_back.from_training)
    siblings = out_of_reach(capped_pairs(pairs, options, left_out=rest), suite, options)
    judged = judgements(store, options, without=kept_back.from_training)
    unpaired = out_of_reach(judged.rows, suite, options)
    rest["a row nearly the same as a task of the suite"] = siblings.reached + unpaired.reached
    refused = refusals(store) + drafted.left_out + selected.left_out + judged.left_out + rest
    return Draft(
        tasks=tuple(task for task in selected.tasks if task.reference_origin != "resample"),
        refused=dict(sorted(refused.items())),
        traces=count_drafts(store),
        sources=sources(store),
        detectors=dict(store.execute(statement(__file__, "detector_versions"))),
        unreferenced=tuple(task for task in selected.tasks if task.reference_origin == "resample"),
        siblings=siblings.rows,
        unpaired=unpaired.rows,
        repeats=tuple(sorted((*drafted.repeats, *selected.repeats))),
        bursts=bursts.days,
    )


def _sibling_pairs(
    store: Store, options: CurationOptions, *, without: Collection[str]
) -> tuple[Pair, ...]:
    found = forks(store, may_models_differ=options.may_models_differ, without=without)
    ids = {trace_id for fork in found for trace_id in (fork.passing, fork.failing)}
    return make_pairs(found, read_as_drafted(store, ids))
