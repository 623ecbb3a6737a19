"""Detection: what the detectors claim of traces, as findings."""

from collections.abc import Iterable, Sequence

from tracemill.curation.detectors.outage import find_outages
from tracemill.curation.detectors.reading import Claim, Detector, Reading, StoreDetector
from tracemill.curation.detectors.table import DETECTORS
from tracemill.curation.finding import Finding
from tracemill.curation.request import request_at
from tracemill.ingest.trace import Trace
from tracemill.record import content_id

_EVIDENCE_CHARS = 400


def detect(trace: Trace, detectors: Sequence[Detector] = DETECTORS) -> tuple[Finding, ...]:
    """Return what the detectors find in the trace, each finding once."""
    return detect_in(Reading(trace), detectors)


def detect_in(reading: Reading, detectors: Sequence[Detector]) -> tuple[Finding, ...]:
    """Return what the detectors find in the trace that was read, each finding once.

    Where an outage was met, what the episode came to is no evidence: detectors that judge the
    outcome are not asked.
    """
    met_outage = any(True for _ in find_outages(reading))
    asked = [each for each in detectors if each.judges == "step" or not met_outage]
    return _distinct(
        make_finding(claim, detector, reading.trace)
        for detector in asked
        for claim in detector.find(reading)
    )


def make_finding(claim: Claim, detector: Detector | StoreDetector, trace: Trace) -> Finding:
    """Return the finding of this claim about this trace; equal claims give equal ids."""
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
        request=_request(claim, detector, trace),
        model=trace.model,
        agent=trace.agent,
        seen_at=trace.ended_at or trace.started_at,
    )


def _request(claim: Claim, detector: Detector | StoreDetector, trace: Trace) -> str | None:
    if claim.tool is not None or not (isinstance(detector, Detector) and detector.asks_what_for):
        return None
    return request_at(trace.messages, claim.step)


def _distinct(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple({finding.id: finding for finding in findings}.values())
