"""Artifacts: what the Prefect UI shows of a night, as tables and text on its timeline."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import cast
from uuid import UUID

from prefect.artifacts import (
    create_markdown_artifact,
    create_progress_artifact,
    create_table_artifact,
    update_progress_artifact,
)

from tracemill.curation.dataset import Dataset
from tracemill.curation.failure_report import FailureOverview
from tracemill.curation.funnel import Stage, funnel_of
from tracemill.deploy.live import LiveRate
from tracemill.deploy.watch import Watch
from tracemill.evaluation.verdict import SliceResult, Verdict
from tracemill.flows.ingest_lines import Line
from tracemill.flows.progress import in_one_line
from tracemill.ingest.run import IngestReport
from tracemill.training.round import Round

PROGRESS_SECONDS = 5.0
"""Between two updates of a progress artifact: each is a call of the server."""


def show_ingest(lines: Sequence[Line]) -> None:
    """Show what was read, and what could not be used."""
    create_table_artifact(
        key="ingest",
        table=[line._asdict() for line in lines],
        description="What this run read from the topics.",
    )


@contextmanager
def ingest_progress() -> Iterator[Callable[[IngestReport], None]]:
    """Yield the callback that ingest calls: the share read, and what came of it, as it goes."""
    made = create_progress_artifact(0.0, key="ingest-progress", description="waits for records")
    artifact = cast("UUID", made)  # no coroutine: this is no async flow
    latest, shown_at = IngestReport(), time.monotonic()

    def show(so_far: IngestReport) -> None:
        nonlocal latest, shown_at
        latest = so_far
        if time.monotonic() - shown_at >= PROGRESS_SECONDS:
            shown_at = time.monotonic()
            _show_progress(artifact, so_far)

    yield show
    _show_progress(artifact, latest)


def _show_progress(artifact: UUID, so_far: IngestReport) -> None:
    total = so_far.records + so_far.lag
    share = so_far.records / total if total else 1.0
    update_progress_artifact(artifact, 100 * share, description=in_one_line(so_far))


def show_failures(overview: FailureOverview, *, most: int = 50) -> None:
    """Show the failure modes, worst first."""
    create_table_artifact(
        key="failure-modes",
        table=[line.model_dump(mode="json") for line in overview.lines[:most]],
        description="What goes wrong, worst first.",
    )


def show_dataset(dataset: Dataset, undecoded: Mapping[str, int], page: Path) -> None:
    """Show the way from records to rows with every loss, and where the whole page lies.

    `undecoded` counts the records that could not be read, by reason.
    """
    stages = funnel_of(dataset.manifest, undecoded)
    rows = "\n".join(line for stage in stages for line in _stage_rows(stage))
    create_markdown_artifact(
        key="dataset",
        markdown=f"## {dataset.id}\n\n| from records to rows | | lost there |\n|---|--:|--:|\n"
        f"{rows}\n\nThe whole page: `{page}`\n",
    )


def _stage_rows(stage: Stage) -> Iterator[str]:
    yield f"| **{stage.name}** | {stage.total:,} | |"
    for why, count in stage.losses.items():
        yield f"| {why} | | {count:,} |"


def show_plan(round_: Round) -> None:
    """Show what the round will do and cost, before it does."""
    rows = "\n".join(
        f"| {stage.method} | {stage.rows} | {stage.steps} | {stage.tokens} | {stage.seconds:.0f} |"
        for stage in round_.plan.stages
    )
    reasons = "\n".join(f"- {reason}" for reason in round_.plan.reasons)
    create_markdown_artifact(
        key="plan",
        markdown=f"## {round_.id}\n\nAbout {round_.plan.seconds:.0f} s and "
        f"${round_.plan.cost_usd:.4f}.\n\n| method | rows | steps | tokens | seconds |\n"
        f"|---|--:|--:|--:|--:|\n{rows}\n\n{reasons}\n",
    )


def show_verdict(verdict: Verdict) -> None:
    """Show the gate's decision, its reasons and the slices."""
    results = (*((verdict.overall,) if verdict.overall else ()), *verdict.slices)
    slices = "\n".join(_slice_row(result) for result in results)
    reasons = "\n".join(f"- {reason}" for reason in verdict.reasons)
    create_markdown_artifact(
        key="verdict",
        markdown=f"## {verdict.outcome}: {verdict.candidate.label} against {verdict.champion.label}\n\n{reasons}\n\n"
        "| slice | tasks | champion | candidate | difference | result |\n"
        f"|---|--:|--:|--:|--:|---|\n{slices}\n",
    )


def _slice_row(result: SliceResult) -> str:
    return (
        f"| {result.name} | {result.tasks} | {result.champion_rate:.0%} | "
        f"{result.candidate_rate:.0%} | {result.difference.estimate:+.0%} "
        f"({result.difference.low:+.0%} to {result.difference.high:+.0%}) | {result.outcome} |"
    )


def show_watch(watched: Watch, rates: Sequence[LiveRate]) -> None:
    """Show what the champion's own traces say, and the rates of all versions."""
    lines = "\n".join(
        f"| {rate.model.label} | {rate.traces} | {rate.failed} | "
        f"{rate.low:.0%} to {rate.high:.0%} | {rate.infrastructure} |"
        for rate in rates
    )
    create_markdown_artifact(
        key="watch",
        markdown=f"{watched.reason}\n\n| version | traces | failed | failure rate (95 %) | "
        f"met an outage |\n|---|--:|--:|---|--:|\n{lines}\n",
    )
