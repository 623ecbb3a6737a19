"""Draft: from findings to tasks that can be trusted.

A failing step becomes a task only if a reference is at hand and the task's checks accept it and
reject what the agent did. Healthy decisions of passing traces become tasks of origin
"production". Nothing is left out without being counted, and a trace that met an outage yields
nothing at all.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from tracemill.curation.detectors.reading import Reading
from tracemill.curation.feedback_bursts import Bursts, FeedbackBurst, find_bursts
from tracemill.curation.finding import Finding
from tracemill.curation.findings import findings_of, prepare_tables
from tracemill.curation.modes import mode_of_signature
from tracemill.curation.options import CurationOptions
from tracemill.curation.references import Refusal
from tracemill.curation.rollout import Rollout
from tracemill.curation.rows import Pair, Unpaired
from tracemill.curation.selection import Repeat, out_of_reach, select
from tracemill.curation.siblings import SiblingIndex, make_pairs
from tracemill.curation.source_ranges import merge_ranges
from tracemill.curation.split import group_of, split_of
from tracemill.curation.task import Task
from tracemill.curation.thumbs import thumbs_of
from tracemill.curation.trace_draft import draft_trace, why_unusable
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store
from tracemill.ingest.trace import SourceRange, Trace

_PAGE = 500


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
    repeats: tuple[Repeat, ...] = ()
    """Which near-duplicates were left out, and of what."""
    bursts: tuple[FeedbackBurst, ...] = ()
    """Users with more feedback in a day than is listened to."""


@dataclass
class _Gathered:
    """What is known beforehand, and what the traces read so far have yielded."""

    modes: dict[str, str]
    """Signature → failure mode."""
    bursts: Bursts
    siblings: SiblingIndex
    tasks: list[Task] = field(default_factory=list)
    unpaired: list[Unpaired] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    ranges: list[SourceRange] = field(default_factory=list)
    tenants: dict[str, str] = field(default_factory=dict)
    """Trace → tenant, of those that yield tasks."""
    traces: int = 0


def draft(store: Store, options: CurationOptions) -> Draft:
    """Return the tasks, and the rows that need none, that the store's traces and findings yield."""
    prepare_tables(store)
    bursts = find_bursts(store, most_a_day=options.max_feedback_per_user_day)
    gathered = _Gathered(mode_of_signature(store), bursts, SiblingIndex(options.may_models_differ))
    for page in _pages(store.traces()):
        findings = findings_of(store, [trace.id for trace in page])
        for trace in page:
            _gather(trace, findings.get(trace.id, ()), options, gathered)
        gathered.ranges = list(merge_ranges(gathered.ranges))
    selected = select(gathered.tasks, options, tenants=gathered.tenants)
    suite = [task for task in selected.tasks if task.split == "heldout"]
    siblings = out_of_reach(_sibling_pairs(store, gathered.siblings, options), suite, options)
    unpaired = out_of_reach(gathered.unpaired, suite, options)
    reached = Counter(
        {"nearly the same as a task of the suite": siblings.reached + unpaired.reached}
    )
    return Draft(
        tasks=tuple(task for task in selected.tasks if task.reference_origin != "resample"),
        refused=dict(sorted((gathered.refused + selected.left_out + reached).items())),
        traces=gathered.traces,
        sources=merge_ranges(gathered.ranges),
        detectors=dict(store.execute(statement(__file__, "detector_versions"))),
        unreferenced=tuple(task for task in selected.tasks if task.reference_origin == "resample"),
        siblings=siblings.rows,
        unpaired=unpaired.rows,
        repeats=selected.repeats,
        bursts=bursts.days,
    )


def _gather(
    trace: Trace, findings: Sequence[Finding], options: CurationOptions, gathered: _Gathered
) -> None:
    """Add what one trace yields."""
    gathered.traces += 1
    gathered.ranges += trace.sources
    heard = tuple(said for said in trace.feedback if said.id not in gathered.bursts.ignored)
    ignored = len(trace.feedback) - len(heard)
    gathered.refused["feedback beyond a user's daily cap"] += ignored
    unusable = why_unusable(trace, findings)
    if unusable is not None:
        gathered.refused[unusable.reason] += 1
        return
    reading = Reading(trace.model_copy(update={"feedback": heard}))
    drafted = draft_trace(reading, findings, options, gathered.modes)
    tasks = [each for each in drafted if isinstance(each, Task)]
    mended = {len(task.prompt) for task in tasks if task.is_failure}
    gathered.tasks += tasks
    if tasks and trace.tenant_id:
        gathered.tenants[trace.id] = trace.tenant_id
    gathered.refused.update(each.reason for each in drafted if isinstance(each, Refusal))
    gathered.unpaired += thumbs_of(reading, options, mended=mended)
    gathered.siblings.add(reading)


def _sibling_pairs(store: Store, index: SiblingIndex, options: CurationOptions) -> tuple[Pair, ...]:
    """The pairs of which both traces stand on the training side."""
    forks = index.forks()
    ids = {trace_id for fork in forks for trace_id in (fork.passing, fork.failing)}
    traces = {
        trace.id: trace
        for trace in store.read_traces(ids)
        if split_of(group_of(trace), seed=options.split_seed, heldout_share=options.heldout_share)
        == "train"
    }
    return make_pairs(
        [fork for fork in forks if fork.passing in traces and fork.failing in traces], traces
    )


def _pages(traces: Iterator[Trace]) -> Iterator[list[Trace]]:
    while page := list(islice(traces, _PAGE)):
        yield page
