"""Artifacts: what the Prefect UI shows of a night, as tables and text on its timeline."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from prefect.artifacts import create_markdown_artifact, create_table_artifact

from tracemill.curation.dataset import Dataset
from tracemill.curation.failure_report import FailureOverview
from tracemill.curation.funnel import Stage, funnel_of
from tracemill.deploy.live import LiveRate
from tracemill.deploy.watch import Watch
from tracemill.evaluation.verdict import SliceResult, Verdict
from tracemill.ingest.run import IngestReport
from tracemill.training.round import Round


def show_ingest(report: IngestReport) -> None:
    """Show what was read, and what could not be used."""
    create_table_artifact(
        key="ingest",
        table=[{"what": name, "count": value} for name, value in report.model_dump().items()],
        description="What this run read from the topics.",
    )


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
