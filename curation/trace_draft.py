"""Trace draft: what one trace yields by itself, and why there is no more.

It depends on nothing but the trace, what was found in it, the settings and the team's
environment: so it is made once and kept (`kept_drafts.py`).
"""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from tracemill.curation.admission import NO_REFERENCE, admit, open_task, whole_episode
from tracemill.curation.detectors.reading import Reading
from tracemill.curation.finding import Finding
from tracemill.curation.findings import signature_of
from tracemill.curation.healthy import healthy_steps
from tracemill.curation.modes import FAILURE_KINDS
from tracemill.curation.options import CurationOptions
from tracemill.curation.references import PASSING, Proposal, Refusal, propose
from tracemill.curation.rows import Unpaired
from tracemill.curation.siblings import Branch, branches_of
from tracemill.curation.split import group_of, split_of
from tracemill.curation.task import Task
from tracemill.curation.thumbs import thumbs_of
from tracemill.ingest.trace import Trace


class TraceDraft(NamedTuple):
    """What one trace yields by itself."""

    refused: tuple[str, ...]
    """Why something of it came to nothing, a reason for each."""
    tasks: tuple[Task, ...] = ()
    thumbs: tuple[Unpaired, ...] = ()
    """Judgements that no pair can be made of."""
    branches: tuple[Branch, ...] = ()
    """What it said after which prefix, for finding its siblings; of the training side."""

    @property
    def is_settled(self) -> bool:
        """Whether drafting it again would yield the same: an environment that failed may be back."""
        return not any(reason in PASSING for reason in self.refused)


def draft_trace(
    trace: Trace,
    findings: Sequence[Finding],
    options: CurationOptions,
    modes: dict[str, str],
    *,
    ignored: Collection[str] = (),
) -> TraceDraft:
    """Return what the trace yields.

    `modes` names the failure mode of each signature; `ignored` are ids of feedback that is not
    listened to.
    """
    heard = tuple(said for said in trace.feedback if said.id not in ignored)
    unheard = ("feedback beyond a user's daily cap",) * (len(trace.feedback) - len(heard))
    unusable = why_unusable(trace, findings)
    if unusable is not None:
        return TraceDraft((*unheard, unusable.reason))
    reading = Reading(trace.model_copy(update={"feedback": heard}))
    drafted = _tasks(reading, findings, options, modes)
    tasks = tuple(each for each in drafted if isinstance(each, Task))
    reasons = (each.reason for each in drafted if isinstance(each, Refusal))
    mended = {len(task.prompt) for task in tasks if task.is_failure}
    side = split_of(group_of(trace), seed=options.split_seed, heldout_share=options.heldout_share)
    is_for_training = side == "train"
    return TraceDraft(
        refused=(*unheard, *reasons),
        tasks=tasks,
        thumbs=thumbs_of(reading, mended=mended) if is_for_training else (),
        branches=branches_of(reading) if is_for_training else (),
    )


def why_unusable(trace: Trace, findings: Sequence[Finding]) -> Refusal | None:
    """Return why nothing at all may come of the trace, or None."""
    if any(finding.kind == "infrastructure" for finding in findings):
        return Refusal("the trace met an outage")
    if any(finding.detector == "injected instruction" for finding in findings):
        return Refusal("quarantined: a tool's reply holds an instruction to the agent")
    return None if trace.is_complete else Refusal("the trace is not complete")


def _tasks(
    reading: Reading,
    findings: Sequence[Finding],
    options: CurationOptions,
    modes: dict[str, str],
) -> tuple[Task | Refusal, ...]:
    """The tasks of a usable trace, and why there are no more."""
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
    episode = whole_episode(reading, options)
    if episode is not None:
        yield episode
