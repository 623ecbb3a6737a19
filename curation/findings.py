"""Findings in the store: the tables of curation, written by mining and read by all after it."""

from collections.abc import Iterable, Sequence
from datetime import UTC

from tracemill.curation.finding import Finding
from tracemill.curation.shape import shape_of
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store
from tracemill.ingest.trace import ModelRef
from tracemill.record import content_id

_COLUMNS = (
    "id", "detector", "detector_version", "trace_id", "revision", "step", "claim", "evidence",
    "severity", "kind", "tool", "model_name", "model_version", "agent", "seen_at", "signature", "request",
)  # fmt: skip


def prepare_tables(store: Store) -> None:
    """Make the tables of curation where they are not there yet."""
    store.execute(statement(__file__, "findings_schema"))


def signature_of(finding: Finding) -> str:
    """Return the id of what the finding shares with others: detector, tool, the claim's shape, and
    the request where it has one."""
    shared = [finding.detector, finding.tool, shape_of(finding.claim)]
    return content_id("mode", shared if finding.request is None else [*shared, finding.request])


def write_findings(store: Store, findings: Iterable[Finding]) -> None:
    """Append the findings; inside the caller's transaction."""
    store.append("findings", _COLUMNS, [_row(finding) for finding in findings])


def findings_of(store: Store, trace_ids: Sequence[str]) -> dict[str, tuple[Finding, ...]]:
    """Return the findings of these traces, by trace id, earliest step first."""
    found: dict[str, tuple[Finding, ...]] = {}
    for row in store.execute(statement(__file__, "findings_of_traces"), [list(trace_ids)]):
        finding = _finding(row)
        found[finding.trace_id] = (*found.get(finding.trace_id, ()), finding)
    return found


def _row(finding: Finding) -> tuple[object, ...]:
    return (
        finding.id,
        finding.detector,
        finding.detector_version,
        finding.trace_id,
        finding.revision,
        finding.step,
        finding.claim,
        finding.evidence,
        finding.severity,
        finding.kind,
        finding.tool,
        finding.model.name,
        finding.model.version,
        finding.agent,
        finding.seen_at.astimezone(UTC),
        signature_of(finding),
        finding.request,
    )


def _finding(row: Sequence[object]) -> Finding:
    values = dict(zip(_COLUMNS, row, strict=True))
    model = ModelRef(name=str(values.pop("model_name")), version=_text(values.pop("model_version")))
    del values["signature"]
    return Finding.model_validate({**values, "model": model})


def _text(value: object) -> str | None:
    return None if value is None else str(value)
