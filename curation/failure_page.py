"""Failure page: what `tracemill failures --html` writes, with the traces themselves."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from tracemill.curation import html
from tracemill.curation.failure_report import FailureLine, FailureOverview, failure_overview
from tracemill.curation.finding import Finding
from tracemill.curation.findings import findings_of
from tracemill.curation.incidents import Incident
from tracemill.curation.night_plot import night_plot
from tracemill.curation.transcript import whole_transcript
from tracemill.ingest.store import Store
from tracemill.ingest.trace import Trace

_CLASSES: tuple[tuple[str, Callable[[FailureLine], bool], str], ...] = (
    ("Failure modes", lambda line: line.is_failure, "None."),
    (
        "Edge cases: unusual, not wrong by themselves",
        lambda line: line.kind == "edge case",
        "None.",
    ),
    ("Drift", lambda line: line.kind == "drift", "No new tool, schema or error text."),
    ("Outages: no evidence about the agent", lambda line: line.is_infrastructure, "None."),
)
"""What stands above each table, which modes are in it, and what is said where there is none."""


def failure_page(store: Store, *, most_traces: int = 30) -> str:
    """Return the page: figures, failure modes with trends, and their clearest traces."""
    overview = failure_overview(store)
    shown = _most_telling(overview.lines, most_traces)
    traces = {trace.id: trace for trace in store.read_traces({line.exemplar for line in shown})}
    anchors = {line.mode for line in shown if line.exemplar in traces}
    parts = [
        html.paragraph(summary_of(overview)),
        night_plot(overview.by_night),
        *modes_by_class(overview, anchors),
        html.heading("Traces that show them"),
        *_exemplars(store, shown, traces),
    ]
    return html.page("What went wrong", parts)


def _most_telling(lines: Sequence[FailureLine], most: int) -> list[FailureLine]:
    """The modes whose traces are shown: those of most traces, of each class some."""
    failures = [line for line in lines if line.is_failure]
    others = [line for line in lines if not line.is_failure]
    kept = max(most - len(others), most * 2 // 3)
    return [*failures[:kept], *others[: most - len(failures[:kept])]]


def modes_by_class(
    overview: FailureOverview, anchors: Collection[str] = (), *, most: int | None = None
) -> Iterator[str]:
    """Yield a table for each class of modes: failures, the unusual, drift, outages and incidents.

    `anchors` are the modes whose trace stands on the page; of each class `most` are shown.
    """
    for title, belongs, none in _CLASSES:
        lines = [line for line in overview.lines if belongs(line)]
        yield html.heading(title)
        yield mode_table(lines[:most], anchors) if lines else html.paragraph(none)
        if lines[most or len(lines) :]:
            yield html.paragraph(f"… and {len(lines[most:])} more: tracemill failures --html FILE")
    if overview.incidents:
        yield html.heading("Incidents: many traces at one time")
        yield _incident_table(overview.incidents)


def _incident_table(incidents: Sequence[Incident]) -> str:
    columns = ("what failed", "from (UTC)", "to (UTC)", "traces", "some of them")
    return html.table(
        columns,
        (
            (
                html.cell(one.claim),
                html.cell(f"{one.first_seen_at:%Y-%m-%d %H:%M}"),
                html.cell(f"{one.last_seen_at:%Y-%m-%d %H:%M}"),
                html.number(str(one.traces)),
                html.cell(", ".join(one.exemplars)),
            )
            for one in incidents
        ),
    )


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


def mode_table(lines: Sequence[FailureLine], anchors: Collection[str] = ()) -> str:
    """Return the modes as a table with trends; those in `anchors` lead to their trace."""
    columns = ("mode", "standing", "traces", "share", "by night", "models", "example")
    return html.table(columns, (_row(line, anchors) for line in lines))


def _row(line: FailureLine, anchors: Collection[str]) -> tuple[str, ...]:
    name = html.link(line.name, line.mode) if line.mode in anchors else html.cell(line.name)
    return (
        name,
        html.cell(line.course),
        html.number(str(line.traces)),
        html.number(f"{line.share:.1%}"),
        html.drawing(html.sparkline(line.trend)),
        html.cell(", ".join(line.models)),
        html.cell("" if line.example in line.name else line.example),
    )


def _exemplars(
    store: Store, lines: Sequence[FailureLine], traces: Mapping[str, Trace]
) -> Iterator[str]:
    findings = findings_of(store, list(traces))
    for line in lines:
        trace = traces.get(line.exemplar)
        if trace is None:
            continue
        claims = "\n".join(_claim(finding) for finding in findings.get(trace.id, ()))
        inner = html.block(claims) + html.block(whole_transcript(trace))
        yield html.details(f"{line.name}: trace {trace.id}", inner, anchor=line.mode)


def _claim(finding: Finding) -> str:
    place = "as a whole" if finding.step is None else f"message {finding.step}"
    said = f"{place}: {finding.claim} ({finding.detector} {finding.detector_version})"
    evidence = finding.evidence.replace("\n", " ")
    return f"{said}\n    {evidence}" if evidence and evidence not in finding.claim else said
