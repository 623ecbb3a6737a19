"""Mining: run the detectors over the traces that are new to them.

Incremental by commit: each detector version remembers up to which commit of ingest it has read,
so its cost grows with the new traces. A trace that was revised, or got feedback, is of a later
commit and is read again; a new version of a detector reads everything again.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice

from tracemill.curation.detectors.outage import find_outages
from tracemill.curation.detectors.reading import Claim, Detector, Reading
from tracemill.curation.detectors.table import DETECTORS
from tracemill.curation.finding import Finding, Standing
from tracemill.curation.findings import prepare_tables, write_findings
from tracemill.curation.modes import assign_modes, failure_modes
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store
from tracemill.ingest.trace import Trace
from tracemill.record import Record, content_id

_PAGE = 1000
"""Traces whose findings are committed together."""
_EVIDENCE_CHARS = 400


class MiningReport(Record):
    """What one run of mining read and found."""

    traces: int
    """Traces that some detector read."""
    findings: dict[str, int]
    """By detector, in the traces read."""
    infrastructure_traces: int
    """Of those read: how many an outage touched; they yield no training row."""
    modes: dict[Standing, int]
    """All modes of the store, by standing."""
    mined_at: datetime


def mine(store: Store, *, now: datetime, detectors: Sequence[Detector] = DETECTORS) -> MiningReport:
    """Read what is new in the store, keep the findings there, and return what was found."""
    prepare_tables(store)
    upto = store.last_change()
    counts: Counter[str] = Counter()
    read: set[str] = set()
    spoiled: set[str] = set()
    for since, due in _by_progress(store, detectors).items():
        _drop_stale(store, due, since)
        for page in _pages(store.traces(changed_since=since)):
            findings = [finding for trace in page for finding in detect(trace, due)]
            with store.transaction():
                write_findings(store, findings)
            counts.update(finding.detector for finding in findings)
            read.update(trace.id for trace in page)
            spoiled.update(f.trace_id for f in findings if f.kind == "infrastructure")
        _remember(store, due, upto)
    assign_modes(store)
    return MiningReport(
        traces=len(read),
        findings=dict(sorted(counts.items())),
        infrastructure_traces=len(spoiled),
        modes=dict(sorted(Counter(mode.standing for mode in failure_modes(store)).items())),
        mined_at=now,
    )


def detect(trace: Trace, detectors: Sequence[Detector] = DETECTORS) -> tuple[Finding, ...]:
    """Return what the detectors find in the trace, each finding once.

    Where an outage was met, what the episode came to is no evidence: detectors that judge the
    outcome are not asked.
    """
    reading = Reading(trace)
    met_outage = any(True for _ in find_outages(reading))
    found = {
        finding.id: finding
        for detector in detectors
        if detector.judges == "step" or not met_outage
        for finding in (_finding(claim, detector, trace) for claim in detector.find(reading))
    }
    return tuple(found.values())


def _finding(claim: Claim, detector: Detector, trace: Trace) -> Finding:
    evidence = claim.evidence[:_EVIDENCE_CHARS]
    said = [claim.step, claim.text, evidence]
    return Finding(
        id=content_id("finding", [detector.name, detector.version, trace.id, trace.revision, said]),
        detector=detector.name,
        detector_version=detector.version,
        trace_id=trace.id,
        revision=trace.revision,
        step=claim.step,
        claim=claim.text,
        evidence=evidence,
        severity=detector.severity,
        kind=detector.kind,
        tool=claim.tool,
        model=trace.model,
        agent=trace.agent,
        seen_at=trace.ended_at or trace.started_at,
    )


def _by_progress(store: Store, detectors: Iterable[Detector]) -> dict[int, list[Detector]]:
    """The detectors by the commit up to which they have read, so that each trace is read once."""
    due: dict[int, list[Detector]] = {}
    for detector in detectors:
        rows = store.execute(statement(__file__, "progress_of"), [detector.name, detector.version])
        due.setdefault(int(rows[0][0]) if rows else 0, []).append(detector)
    return due


def _drop_stale(store: Store, detectors: Iterable[Detector], since: int) -> None:
    """Delete the findings that this run will make anew, also those of a run that was killed."""
    with store.transaction():
        for detector in detectors:
            store.execute(
                statement(__file__, "drop_stale_findings"), [detector.name, detector.version, since]
            )


def _remember(store: Store, detectors: Iterable[Detector], upto: int) -> None:
    with store.transaction():
        for detector in detectors:
            store.execute(statement(__file__, "forget_progress"), [detector.name])
            store.append(
                "mining_progress",
                ("detector", "version", "changed_at"),
                [(detector.name, detector.version, upto)],
            )


def _pages(traces: Iterator[Trace]) -> Iterator[list[Trace]]:
    while page := list(islice(traces, _PAGE)):
        yield page
