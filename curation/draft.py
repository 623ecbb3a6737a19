"""Draft: from findings to tasks that can be trusted.

A failing step becomes a task only if a reference is at hand and the task's checks accept it and
reject what the agent did. Healthy decisions of passing traces become tasks of origin
"production". Nothing is left out without being counted, and a trace that met an outage yields
nothing at all.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from tracemill.curation.admission import NO_REFERENCE, admit, open_task
from tracemill.curation.detectors.reading import Reading
from tracemill.curation.finding import Finding
from tracemill.curation.findings import findings_of, prepare_tables, signature_of
from tracemill.curation.healthy import healthy_steps
from tracemill.curation.modes import FAILURE_KINDS, mode_of_signature
from tracemill.curation.options import CurationOptions
from tracemill.curation.references import Proposal, Refusal, propose
from tracemill.curation.rollout import Rollout
from tracemill.curation.selection import select
from tracemill.curation.source_ranges import merge_ranges
from tracemill.curation.task import Task
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store
from tracemill.ingest.trace import SourceRange, Trace

_PAGE = 500


@dataclass(frozen=True)
class Draft:
    """Tasks, and what was left out on the way."""

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
    rollouts: tuple[Rollout, ...] = ()
    """The champion's tries, where it was tried."""


def draft(store: Store, options: CurationOptions) -> Draft:
    """Return the tasks that the store's traces and findings yield."""
    prepare_tables(store)
    modes = mode_of_signature(store)
    tasks: list[Task] = []
    refused: Counter[str] = Counter()
    ranges: list[SourceRange] = []
    traces = 0
    for page in _pages(store.traces()):
        findings = findings_of(store, [trace.id for trace in page])
        for trace in page:
            found = findings.get(trace.id, ())
            drafted = draft_trace(trace, found, options, modes)
            tasks += [each for each in drafted if isinstance(each, Task)]
            refused.update(each.reason for each in drafted if isinstance(each, Refusal))
            ranges += trace.sources
        traces += len(page)
        ranges = list(merge_ranges(ranges))
    kept, left_out = select(tasks, options)
    return Draft(
        tasks=tuple(task for task in kept if task.reference_origin != "resample"),
        refused=dict(sorted((refused + left_out).items())),
        traces=traces,
        sources=merge_ranges(ranges),
        detectors=dict(store.execute(statement(__file__, "detector_versions"))),
        unreferenced=tuple(task for task in kept if task.reference_origin == "resample"),
    )


def draft_trace(
    trace: Trace,
    findings: Sequence[Finding],
    options: CurationOptions,
    modes: dict[str, str],
) -> tuple[Task | Refusal, ...]:
    """Return the tasks of one trace, and why there are no more.

    `modes` names the failure mode of each signature.
    """
    if any(finding.kind == "infrastructure" for finding in findings):
        return (Refusal("the trace met an outage"),)
    if not trace.is_complete:
        return (Refusal("the trace is not complete"),)
    reading = Reading(trace)
    failures = [finding for finding in findings if finding.kind in FAILURE_KINDS]
    proposals = propose(reading) if failures else ()
    at_fault = [each for each in proposals if isinstance(each, Proposal)]
    drafted: list[Task | Refusal] = [each for each in proposals if isinstance(each, Refusal)]
    drafted += [
        _of_failure(reading, proposal, failures, options, modes)
        for proposal in at_fault[: options.max_failures_per_trace]
    ]
    extra = len(at_fault) - options.max_failures_per_trace
    drafted += [Refusal("the trace has enough failing steps already")] * extra
    if failures and not drafted:
        drafted.append(_unreferenced(reading, failures, options, modes))
    return (*drafted, *_healthy(reading, findings, options))


def _unreferenced(
    reading: Reading, failures: Sequence[Finding], options: CurationOptions, modes: dict[str, str]
) -> Task | Refusal:
    """The failing step, where it is clear which, for the champion to be tried on."""
    steps = sorted({finding.step for finding in failures if finding.step is not None})
    calling = sorted({made.step for made in reading.calls})
    step = next((found[0] for found in (steps, calling) if len(found) == 1), None)
    if step is None:
        return Refusal(NO_REFERENCE)
    mode = modes[signature_of(_clearest(failures, step))]
    return open_task(reading, step, options=options, failure_mode=mode)


def _clearest(failures: Sequence[Finding], step: int) -> Finding:
    """The gravest finding at the step, else of the trace."""
    at_step = [finding for finding in failures if finding.step == step]
    return max(at_step or failures, key=lambda finding: (finding.severity, finding.id))


def _of_failure(
    reading: Reading,
    proposal: Proposal,
    failures: Sequence[Finding],
    options: CurationOptions,
    modes: dict[str, str],
) -> Task | Refusal:
    mode = modes[signature_of(_clearest(failures, proposal.step))]
    return admit(reading, proposal, options=options, failure_mode=mode)


def _healthy(
    reading: Reading, findings: Sequence[Finding], options: CurationOptions
) -> Iterator[Task | Refusal]:
    steps = healthy_steps(
        reading, {finding.step for finding in findings}, most=options.max_healthy_per_trace
    )
    for step in steps:
        proposal = Proposal(step, reading.trace.messages[step], "production")
        yield admit(reading, proposal, options=options, failure_mode=None)


def _pages(traces: Iterator[Trace]) -> Iterator[list[Trace]]:
    while page := list(islice(traces, _PAGE)):
        yield page
