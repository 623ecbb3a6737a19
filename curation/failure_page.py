"""Failure page: what `tracemill failures --html` writes, with the traces themselves."""

from collections.abc import Iterator, Sequence

from tracemill.curation import html
from tracemill.curation.failure_report import FailureLine, FailureOverview, failure_overview
from tracemill.curation.findings import findings_of
from tracemill.curation.transcript import whole_transcript
from tracemill.ingest.store import Store


def failure_page(store: Store, *, most_traces: int = 30) -> str:
    """Return the page: figures, failure modes with trends, and their clearest traces."""
    overview = failure_overview(store)
    failures = [line for line in overview.lines if not line.is_infrastructure]
    outages = [line for line in overview.lines if line.is_infrastructure]
    parts = [
        html.paragraph(summary_of(overview)),
        html.heading("Failure modes"),
        mode_table(failures),
        html.heading("Outages: no evidence about the agent"),
        mode_table(outages),
        html.heading("Traces that show them"),
        *_exemplars(store, overview.lines[:most_traces]),
    ]
    return html.page("What went wrong", parts)


def summary_of(overview: FailureOverview) -> str:
    """Return the figures in a sentence."""
    if overview.failure_share is None:
        return f"{overview.traces} traces; none without an outage, so no failure rate."
    nights = f"{overview.nights[0]} to {overview.nights[-1]}" if overview.nights else "no night"
    return (
        f"{overview.failed} of {overview.traces - overview.infrastructure_traces} traces failed "
        f"({overview.failure_share:.1%}); {overview.infrastructure_traces} more met an outage and "
        f"are in no rate. Nights: {nights}."
    )


def mode_table(lines: Sequence[FailureLine]) -> str:
    """Return the modes as a table with trends."""
    columns = ("mode", "standing", "traces", "share", "by night", "models", "example")
    return html.table(columns, (_row(line) for line in lines))


def _row(line: FailureLine) -> tuple[str, ...]:
    return (
        html.cell(line.name),
        html.cell(line.standing),
        html.number(str(line.traces)),
        html.number(f"{line.share:.1%}"),
        html.drawing(html.sparkline(line.trend)),
        html.cell(", ".join(line.models)),
        html.cell(line.example),
    )


def _exemplars(store: Store, lines: Sequence[FailureLine]) -> Iterator[str]:
    traces = {trace.id: trace for trace in store.read_traces({line.exemplar for line in lines})}
    findings = findings_of(store, list(traces))
    for line in lines:
        trace = traces.get(line.exemplar)
        if trace is None:
            continue
        claims = "\n".join(
            f"step {finding.step if finding.step is not None else '-'}: {finding.claim}"
            for finding in findings.get(trace.id, ())
        )
        inner = html.block(claims) + html.block(whole_transcript(trace))
        yield html.details(f"{line.name}: trace {trace.id}", inner)
