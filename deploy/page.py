"""Page: the description of a model version, which is where a reviewer decides.

MLflow shows it as markdown on top of the version page, raw HTML taken out. Text from traces is
put where markdown does not read it: escaped in tables and sentences, fenced in transcripts.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import quote

from tracemill.deploy.facts import (
    SLICE_COLUMNS,
    SLICE_LEGEND,
    Fact,
    cost_facts,
    data_facts,
    headline,
    live_facts,
    slice_rows,
)
from tracemill.deploy.registration import Registration
from tracemill.deploy.registry_options import Approval
from tracemill.deploy.transcript import Change
from tracemill.evaluation.wording import tasks

_MOST_SHOWN = 3
"""Tasks whose transcripts stand on the page, of those that got better and of those worse."""
_LIMIT = 95_000
"""MLflow cuts descriptions at 100,000 characters."""


class PageContext(NamedTuple):
    """What the page must know of where it is shown."""

    version: str
    parent_version: str | None
    experiment_id: str
    run_id: str
    approval: Approval


def escape(text: str) -> str:
    """Return the text as markdown shows it literally, in one line.

    By entities: of backslashes MLflow's renderer shows some. A bare address is no link.

    >>> escape("a|b *c* <i> http://d")
    'a&#124;b &#42;c&#42; &#60;i&#62; http&#58;//d'
    """
    line = " ".join(text.split())
    line = re.sub(r"[&<>`*_\[\]|~\\#$]", _entity, line)
    line = re.sub(r":(?=//)", _entity, line)
    return re.sub(r"^[-+]|(?<=^\d)[.)]", _entity, line)


def _entity(match: re.Match[str]) -> str:
    return f"&#{ord(match[0])};"


def fence(text: str) -> str:
    """Return the text as a code block that nothing in it can end."""
    runs = [len(run) for run in re.findall(r"`+", text)]
    marks = "`" * max(3, 1 + max(runs, default=0))
    return f"{marks}text\n{text}\n{marks}"


def render_page(registration: Registration, context: PageContext) -> str:
    """Return the description of the candidate's version, as markdown."""
    blocks = [
        *_verdict(registration, context),
        *_next_steps(registration, context),
        *_transcripts(registration),
        *_section("What it was trained on", data_facts(registration.lineage)),
        *_section("What it cost", cost_facts(registration)),
        *_section("In production so far", live_facts(registration)),
    ]
    page = "\n\n".join(blocks)
    return page if len(page) <= _LIMIT else f"{page[:_LIMIT]}\n\n… cut; see the report."


def render_base_page(note: str) -> str:
    """Return the description of the first version, which no round made."""
    return (
        f"## The model that everything starts from\n\n{escape(note)}\n\nNo round made it and no "
        "gate has judged it: it is the champion that the first candidate is compared with."
    )


def _verdict(registration: Registration, context: PageContext) -> Iterable[str]:
    verdict = registration.verdict
    yield f"## {headline(verdict, context.version)}"
    parent = f"version {context.parent_version}" if context.parent_version else "the base model"
    yield (
        f"Trained from {parent}, and compared with it on the same held-out tasks, task by task "
        "with the same seeds; nothing in reach of these tasks was trained on."
    )
    yield "\n".join(f"- {escape(reason)}" for reason in verdict.reasons)
    if verdict.needed:
        yield f"**What it would take:** {escape(verdict.needed)}"
    if verdict.overall is not None:
        rows = (tuple(escape(cell) for cell in row) for row in slice_rows(verdict))
        yield table(SLICE_COLUMNS, rows)
        yield SLICE_LEGEND
        yield f"![Differences by slice, with intervals]({_artifact('report/forest.png', context)})"


def _transcripts(registration: Registration) -> Iterable[str]:
    """Yield what changed: for a promotion the gains first, else the losses."""
    sections = [
        _changes("better", [c for c in registration.changes if c.direction == "fixed"]),
        _changes("worse", [c for c in registration.changes if c.direction == "broken"]),
    ]
    ordered = sections if registration.verdict.promotes else sections[::-1]
    yield from (block for section in ordered for block in section)


def _changes(how: str, changes: list[Change]) -> Iterable[str]:
    if not changes:
        yield f"### What got {how}: nothing"
        return
    yield f"### What got {how}: {tasks(len(changes))}"
    shown = _one_of_each_slice(changes)[:_MOST_SHOWN]
    for change in shown:
        yield from _transcript(change)
    if len(shown) < len(changes):
        yield f"… and {len(changes) - len(shown)} more in the report."


def _one_of_each_slice(changes: list[Change]) -> list[Change]:
    """Return the changes with the first of each slice in front."""
    first = {change.slice: change for change in reversed(changes)}
    leading = [change for change in changes if first[change.slice] is change]
    return leading + [change for change in changes if first[change.slice] is not change]


def _transcript(change: Change) -> Iterable[str]:
    before = "failed" if change.direction == "fixed" else "passed"
    after = "passes" if change.direction == "fixed" else "fails"
    yield f"**{escape(change.slice)}** · task {escape(change.task_id)}"
    yield fence(
        f"{change.request}\n\n"
        f"--- champion ({before})\n{change.champion}\n\n"
        f"--- candidate ({after})\n{change.candidate}"
    )
    if change.failed_checks:
        failed = "champion" if change.direction == "fixed" else "candidate"
        yield f"Why the {failed} failed: {escape(change.failed_checks)}"


def _section(title: str, facts: Iterable[Fact]) -> Iterable[str]:
    rows = [(escape(fact.label), escape(fact.text)) for fact in facts]
    if rows:
        yield f"### {title}"
        yield "\n".join(f"- **{label}:** {text}" for label, text in rows)


def _next_steps(registration: Registration, context: PageContext) -> Iterable[str]:
    run = f"#/experiments/{context.experiment_id}/runs/{context.run_id}"
    yield "### What to do"
    lines = [
        _decide(registration, context),
        f"Read the whole comparison: [report]({run}/artifacts/report/gate.html), "
        f"[training curves]({run}/model-metrics), [run]({run}).",
    ]
    yield "\n".join(f"- {line}" for line in lines)


def _decide(registration: Registration, context: PageContext) -> str:
    command = f"`tracemill promote {context.version} --reason …`"
    if not registration.verdict.promotes:
        return (
            "Nothing: the champion stays. To promote it against the gate's verdict: "
            f"`tracemill promote {context.version} --force --reason …`"
        )
    if context.approval == "human":
        return (
            "Approve it: set the tag `review.decision` of this version to `approved`, then "
            f"{command} makes it champion."
        )
    return (
        "Nothing: having passed, it becomes champion by itself. `tracemill rollback --reason …` "
        "undoes that."
    )


def table(columns: Iterable[str], rows: Iterable[tuple[str, ...]]) -> str:
    """Return a table of cells that are markdown already; MLflow's has no gaps by itself."""
    names = list(columns)
    wide = ([f"{cell}&emsp;" for cell in row] for row in rows)
    lines = (names, ["---"] * len(names), *wide)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _artifact(path: str, context: PageContext) -> str:
    return f"/get-artifact?path={quote(path, safe='')}&run_uuid={context.run_id}"
