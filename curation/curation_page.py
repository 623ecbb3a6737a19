"""Curation page: one night's way from records to rows, with every loss named and counted."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from tracemill.curation import html
from tracemill.curation.dataset import Dataset
from tracemill.curation.failure_page import mode_table, summary_of
from tracemill.curation.failure_report import FailureOverview
from tracemill.curation.rows import Example, Pair
from tracemill.curation.transcript import in_words, transcript

R = TypeVar("R", Example, Pair)

_SAMPLES = 2
"""Of each origin."""


def curation_page(dataset: Dataset, overview: FailureOverview) -> str:
    """Return the page of the night that froze `dataset`."""
    drift = [line for line in overview.lines if line.kind == "drift"]
    parts = [
        html.paragraph(f"Dataset {dataset.id}, frozen at {dataset.frozen_at.isoformat()}."),
        html.heading("From records to rows"),
        funnel(dataset),
        html.heading("What was left out, and why"),
        losses(dataset),
        html.heading("Failure modes"),
        html.paragraph(summary_of(overview)),
        mode_table([line for line in overview.lines if line.kind != "drift"]),
        html.heading("Drift"),
        mode_table(drift) if drift else html.paragraph("No new tool, schema or error text."),
        html.heading("Samples"),
        *_pair_samples(dataset.pairs),
        *_example_samples(dataset.examples),
    ]
    return html.page("One night of curation", parts)


def funnel(dataset: Dataset) -> str:
    """Return how many records, traces, tasks and rows there are, each as a bar."""
    manifest = dataset.manifest
    records = sum(each.last_offset - each.first_offset + 1 for each in manifest.sources)
    stages = {
        "records on the wire": records,
        "traces read": manifest.traces,
        "tasks of the training side": manifest.counts["tasks"],
        "tasks of the suite": manifest.counts["suite"],
        "examples": manifest.counts["examples"],
        "pairs": manifest.counts["pairs"],
        "judgements without a pair": manifest.counts["unpaired"],
    }
    return _bars(stages, is_loss=False)


def losses(dataset: Dataset) -> str:
    """Return every reason with what it left out, the largest first."""
    counts = sorted(dataset.manifest.refused.items(), key=lambda item: (-item[1], item[0]))
    return _bars(dict(counts), is_loss=True) if counts else html.paragraph("Nothing.")


def _bars(counts: dict[str, int], *, is_loss: bool) -> str:
    most = max(*counts.values(), 1)
    return html.table(
        ("what", "count", ""),
        (
            (
                html.cell(name),
                html.number(f"{count:,}"),
                html.drawing(html.bar(count / most, is_loss=is_loss)),
            )
            for name, count in counts.items()
        ),
    )


def _pair_samples(pairs: Sequence[Pair]) -> Iterator[str]:
    for origin, some in _by_origin(pairs):
        for pair in some:
            inner = html.block(transcript(pair.prompt)) + html.sides(
                in_words(pair.chosen), in_words(pair.rejected)
            )
            yield html.details(f"pair from {origin}, {pair.slice}: {pair.id}", inner)


def _example_samples(examples: Sequence[Example]) -> Iterator[str]:
    for origin, some in _by_origin(examples):
        for example in some:
            inner = html.block(transcript(example.prompt)) + html.block(
                in_words(example.completion)
            )
            yield html.details(f"example from {origin}, {example.slice}: {example.id}", inner)


def _by_origin(rows: Iterable[R]) -> list[tuple[str, list[R]]]:
    grouped: dict[str, list[R]] = {}
    for row in rows:
        some = grouped.setdefault(row.origin, [])
        if len(some) < _SAMPLES:
            some.append(row)
    return sorted(grouped.items())
