"""Trace draft: the tasks of one trace, and why there are no more."""

from collections.abc import Iterator, Sequence

from tracemill.curation.admission import NO_REFERENCE, admit, open_task, whole_episode
from tracemill.curation.detectors.reading import Reading
from tracemill.curation.finding import Finding
from tracemill.curation.findings import signature_of
from tracemill.curation.healthy import healthy_steps
from tracemill.curation.modes import FAILURE_KINDS
from tracemill.curation.options import CurationOptions
from tracemill.curation.references import Proposal, Refusal, propose
from tracemill.curation.task import Task
from tracemill.ingest.trace import Trace


def why_unusable(trace: Trace, findings: Sequence[Finding]) -> Refusal | None:
    """Return why nothing at all may come of the trace, or None."""
    if any(finding.kind == "infrastructure" for finding in findings):
        return Refusal("the trace met an outage")
    if any(finding.detector == "injected instruction" for finding in findings):
        return Refusal("quarantined: a tool's reply holds an instruction to the agent")
    return None if trace.is_complete else Refusal("the trace is not complete")


def draft_trace(
    reading: Reading,
    findings: Sequence[Finding],
    options: CurationOptions,
    modes: dict[str, str],
) -> tuple[Task | Refusal, ...]:
    """Return the tasks of one trace, and why there are no more.

    `modes` names the failure mode of each signature.
    """
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
