"""Report: the whole comparison as one HTML file that needs nothing beside it.

It is shown on MLflow's own origin, and most of its text comes from traces: all of it is escaped,
and the page forbids itself scripts and addresses.
"""

from collections.abc import Iterable, Mapping
from html import escape

from tracemill.deploy.facts import (
    SLICE_COLUMNS,
    SLICE_LEGEND,
    Fact,
    cost_facts,
    data_facts,
    headline,
    integrity_facts,
    live_facts,
    slice_rows,
)
from tracemill.deploy.pictures import Picture
from tracemill.deploy.registration import Registration
from tracemill.deploy.transcript import Change
from tracemill.evaluation.wording import tasks

_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
_STYLE = """
body { font: 14px/1.45 system-ui, sans-serif; color: #1c1c1c; max-width: 62rem; margin: 2rem auto;
  padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
table { border-collapse: collapse; } td, th { padding: .25rem .6rem; text-align: left;
  border-bottom: 1px solid #d8d8d8; vertical-align: top; }
pre { background: #f5f5f3; padding: .7rem; white-space: pre-wrap; overflow-wrap: anywhere;
  margin: .2rem 0; }
img { max-width: 100%; }
summary { cursor: pointer; padding: .25rem 0; }
.slices td, .slices th { white-space: nowrap; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }
.pass, .fixed, .promote { color: #1a7f4b; } .fail, .broken, .hold { color: #b3261e; }
.insufficient { color: #8a6d00; }
"""


def render_report(
    registration: Registration, pictures: Mapping[str, Picture], *, version: str
) -> str:
    """Return the report as an HTML document."""
    verdict = registration.verdict
    title = escape(headline(verdict, version))
    body = [
        f'<h1 class="{verdict.outcome.split()[0]}">{title}</h1>',
        f"<p>{escape(verdict.candidate.label)} against {escape(verdict.champion.label)} "
        f"on suite {escape(verdict.suite_id)}</p>",
        _list(verdict.reasons),
        f"<p><b>What it would take:</b> {escape(verdict.needed)}</p>" if verdict.needed else "",
        _slices(registration, pictures.get("forest")),
        _changes("What got worse", "broken", registration.changes),
        _changes("What got better", "fixed", registration.changes),
        _facts("What it was trained on", data_facts(registration.lineage)),
        _facts("What it cost", cost_facts(registration)),
        _figure(pictures.get("loss")),
        _facts("Integrity of the weights", integrity_facts(registration)),
        _facts("In production so far", live_facts(registration)),
        _figure(pictures.get("live")),
    ]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f"<title>{title}</title><style>{_STYLE}</style></head><body>"
        f"{''.join(body)}</body></html>"
    )


def _slices(registration: Registration, forest: Picture | None) -> str:
    if forest is None:
        return ""
    head = "".join(f"<th>{column}</th>" for column in SLICE_COLUMNS)
    rows = "".join(_row(cells) for cells in slice_rows(registration.verdict))
    table = f'<table class="slices"><tr>{head}</tr>{rows}</table><p>{SLICE_LEGEND}</p>'
    return f"<h2>By slice</h2>{table}{_figure(forest)}"


def _row(cells: tuple[str, ...]) -> str:
    outcome = cells[-1].split()[0]
    return f'<tr class="{outcome}">{"".join(f"<td>{escape(cell)}</td>" for cell in cells)}</tr>'


def _changes(title: str, direction: str, changes: Iterable[Change]) -> str:
    chosen = [change for change in changes if change.direction == direction]
    blocks = "".join(_change(change) for change in chosen) or "<p>Nothing.</p>"
    blocks = blocks.replace("<details>", "<details open>", 1)
    return f'<h2>{title}: <span class="{direction}">{tasks(len(chosen))}</span></h2>{blocks}'


def _change(change: Change) -> str:
    before, after = ("failed", "passes") if change.direction == "fixed" else ("passed", "fails")
    first_line = change.request.splitlines()[0][:140]
    return (
        f"<details><summary><b>{escape(change.slice)}</b> {escape(first_line)}</summary>"
        f"<pre>{escape(change.request)}</pre><div class='pair'>"
        f"<div>champion ({before})<pre>{escape(change.champion)}</pre></div>"
        f"<div>candidate ({after})<pre>{escape(change.candidate)}</pre></div></div>"
        f"<p>Failed check: {escape(change.failed_checks or 'not told')}<br>"
        f"Would pass: {escape(change.wanted)}<br>"
        f"Task {escape(change.task_id)}, seed {change.seed}, from trace "
        f"{escape(', '.join(change.sources))}</p></details>"
    )


def _facts(title: str, facts: Iterable[Fact]) -> str:
    rows = "".join(
        f"<tr><th>{escape(fact.label)}</th><td>{escape(fact.text)}</td></tr>" for fact in facts
    )
    return f"<h2>{title}</h2><table>{rows}</table>" if rows else ""


def _figure(picture: Picture | None) -> str:
    if picture is None:
        return ""
    return f'<p><img alt="{escape(picture.title)}" src="{picture.data_uri}"></p>'


def _list(items: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(item)}</li>' for item in items)}</ul>"
