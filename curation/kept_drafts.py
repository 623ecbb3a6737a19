"""Kept drafts: what each trace yields stays in the store until the trace, what was found in it or
the rules change.

So a night drafts what is new, however large the store is. A trace is drafted again too if other
feedback of its user is listened to than was, or if its environment had failed. A run that is
killed goes on where it stopped.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from tracemill.curation.drafting_rules import rules_of
from tracemill.curation.feedback_bursts import Bursts
from tracemill.curation.finding import Finding
from tracemill.curation.findings import findings_of
from tracemill.curation.modes import mode_of_signature
from tracemill.curation.options import CurationOptions
from tracemill.curation.reach import conversation_key
from tracemill.curation.rows import Unpaired
from tracemill.curation.siblings import write_branches
from tracemill.curation.task import Task
from tracemill.curation.trace_draft import TraceDraft, draft_trace
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store, pack_json
from tracemill.ingest.trace import Trace

TABLES = ("drafts", "drafted_tasks", "drafted_judgements", "drafted_branches", "champion_tries")
"""All that is kept, each row under its trace; the last by `kept_tries.py`."""
_AT_ONCE = 10_000
"""Traces that are asked for at once: what was found in them is held in memory."""
_PAGE = 500
"""Traces that are read, drafted and committed together."""
_DRAFT = (
    "trace_id", "changed_at", "findings", "rules", "user_id", "is_settled", "ignored", "refused", "topics",
    "partitions", "first_offsets", "last_offsets",
)  # fmt: skip
_TASK = (
    "trace_id", "id", "prompt", "is_failure", "has_no_reference", "is_whole_episode", "split",
    "group", "tenant", "slice", "seen_at", "body",
)  # fmt: skip

_JUDGEMENT = ("trace_id", "id", "group", "tenant", "seen_at", "body")


class _Due(NamedTuple):
    """A trace that is to be drafted."""

    id: str
    changed_at: int
    findings: int
    """Fingerprint of what was found in it."""
    user_id: str | None
    """Its own, else that of another trace of its session."""
    was_drafted: bool
    left: int
    """Traces that are due, this one and those after it."""


def bring_up_to_date(
    store: Store,
    options: CurationOptions,
    bursts: Bursts,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Draft the traces that were not drafted as they are; `progress` hears (done, of how many)."""
    rules, modes = rules_of(options), mode_of_signature(store)
    _drop(store, [row[0] for row in store.execute(statement(__file__, "drafts_of_gone"))])
    done = 0
    for some in _due(store, rules, _heard_otherwise(store, bursts)):
        total = done + some[0].left
        _drop(store, [each.id for each in some if each.was_drafted])
        findings = findings_of(store, [each.id for each in some])
        for first in range(0, len(some), _PAGE):
            page = some[first : first + _PAGE]
            drafted = [
                _drafted(trace, findings.get(trace.id, ()), options, modes, bursts)
                for trace in _read(store, page)
            ]
            _keep(store, rules, page, drafted)
            done += len(page)
            if progress is not None:
                progress(done, total)


class _Drafted(NamedTuple):
    """A trace and what it yields."""

    trace: Trace
    draft: TraceDraft
    ignored: tuple[str, ...]
    """Ids of feedback that was not listened to."""


def _drafted(
    trace: Trace,
    findings: Sequence[Finding],
    options: CurationOptions,
    modes: dict[str, str],
    bursts: Bursts,
) -> _Drafted:
    ignored = bursts.ignored.get(trace.id, frozenset())
    draft = draft_trace(trace, findings, options, modes, ignored=ignored)
    return _Drafted(trace, draft, tuple(sorted(ignored)))


def _heard_otherwise(store: Store, bursts: Bursts) -> list[str]:
    """Traces of which other feedback is ignored than was when they were drafted."""
    ignored: defaultdict[str, set[str]] = defaultdict(set)
    for trace_id, feedback_id in store.execute(statement(__file__, "drafts_ignoring")):
        ignored[trace_id].add(feedback_id)
    names = ignored.keys() | bursts.ignored.keys()
    return [n for n in sorted(names) if ignored.get(n, set()) != bursts.ignored.get(n, set())]


def _due(store: Store, rules: str, heard_otherwise: Sequence[str]) -> Iterator[list[_Due]]:
    """What is to be drafted, in order of ingestion."""
    after: tuple[int, str] = (-1, "")
    while True:
        rows = store.execute(
            statement(__file__, "undrafted_traces"),
            [*after, rules, list(heard_otherwise), _AT_ONCE],
        )
        if not rows:
            return
        some = [_Due(*row) for row in rows]
        yield some
        after = some[-1].changed_at, some[-1].id


def _drop(store: Store, trace_ids: Sequence[str]) -> None:
    if trace_ids:
        with store.transaction():
            for table in TABLES:
                store.execute(statement(__file__, f"forget_{table}"), [list(trace_ids)])


def _read(store: Store, page: Sequence[_Due]) -> tuple[Trace, ...]:
    users = {each.id: each.user_id for each in page}
    traces = store.read_traces(users, changed=(page[0].changed_at, page[-1].changed_at))
    return tuple(trace.model_copy(update={"user_id": users[trace.id]}) for trace in traces)


def read_as_drafted(store: Store, trace_ids: Collection[str]) -> dict[str, Trace]:
    """Return the traces by id, each as that user's as whose it was drafted."""
    users = dict(store.execute(statement(__file__, "drafted_users"), [list(trace_ids)]))
    return {
        trace.id: trace.model_copy(update={"user_id": users.get(trace.id)})
        for trace in store.read_traces(trace_ids)
    }


def forget_drafts(store: Store, user_id: str) -> None:
    """Drop what was drafted as this user's; inside the caller's transaction."""
    rows = store.execute(statement(__file__, "drafts_of_user"), [user_id])
    for table in TABLES:
        store.execute(statement(__file__, f"forget_{table}"), [[row[0] for row in rows]])


def _keep(store: Store, rules: str, page: Sequence[_Due], drafted: Sequence[_Drafted]) -> None:
    due = {each.id: each for each in page}
    with store.transaction():
        store.append("drafts", _DRAFT, [_row(due[e.trace.id], rules, e) for e in drafted])
        store.append(
            "drafted_tasks",
            _TASK,
            [_task_row(task, e.trace) for e in drafted for task in e.draft.tasks],
        )
        store.append(
            "drafted_judgements",
            _JUDGEMENT,
            [_judgement_row(row, e.trace) for e in drafted for row in e.draft.thumbs],
        )
        write_branches(store, ((e.trace.id, e.draft.branches) for e in drafted))


def _row(due: _Due, rules: str, drafted: _Drafted) -> tuple[object, ...]:
    sources = drafted.trace.sources
    return (
        due.id,
        due.changed_at,
        due.findings,
        rules,
        due.user_id,
        drafted.draft.is_settled,
        list(drafted.ignored),
        list(drafted.draft.refused),
        [each.topic for each in sources],
        [each.partition for each in sources],
        [each.first_offset for each in sources],
        [each.last_offset for each in sources],
    )


def _task_row(task: Task, trace: Trace) -> tuple[object, ...]:
    return (
        trace.id,
        task.id,
        conversation_key(task.prompt),
        task.is_failure,
        task.reference_origin == "resample",
        task.is_whole_episode,
        task.split,
        task.group,
        trace.tenant_id,
        task.slice,
        task.seen_at,
        pack_json(task.to_json()),
    )


def _judgement_row(row: Unpaired, trace: Trace) -> tuple[object, ...]:
    seen_at = trace.ended_at or trace.started_at
    return trace.id, row.id, row.group, trace.tenant_id, seen_at, pack_json(row.to_json())
