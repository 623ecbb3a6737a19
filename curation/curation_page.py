"""Curation page: one night's way from records to rows, with every loss named and counted."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from tracemill.curation import html
from tracemill.curation.dataset import Dataset
from tracemill.curation.failure_page import modes_by_class, summary_of
from tracemill.curation.failure_report import FailureOverview
from tracemill.curation.feedback_bursts import FeedbackBurst
from tracemill.curation.funnel import Stage, funnel_of
from tracemill.curation.night_plot import night_plot
from tracemill.curation.rows import Example, Pair
from tracemill.curation.selection import Repeat
from tracemill.curation.transcript import in_words, transcript

R = TypeVar("R", Example, Pair)

_SAMPLES = 2
"""Of each origin."""
_MOST_REPEATS = 20
_MOST_MODES = 12
"""Of each class."""


def curation_page(
    dataset: Dataset,
    overview: FailureOverview,
    *,
    undecoded: Mapping[str, int] | None = None,
    bursts: Sequence[FeedbackBurst] = (),
) -> str:
    """Return the page of the night that froze `dataset`.

    `undecoded` counts the records that could not be read, by reason; `bursts` are the days on which
    a user said more than is listened to.
    """
    parts = [
        html.paragraph(f"Dataset {dataset.id}, frozen at {dataset.frozen_at:%Y-%m-%d %H:%M} UTC."),
        html.heading("From records to rows, and what was lost where"),
        funnel(funnel_of(dataset.manifest, undecoded)),
        *_bursts(bursts),
        *_repeats(dataset.manifest.repeats),
        html.heading("How the nights went"),
        html.paragraph(summary_of(overview)),
        night_plot(overview.by_night),
        *modes_by_class(overview, most=_MOST_MODES),
        html.heading("Samples of each origin"),
        *_pair_samples(dataset.pairs),
        *_example_samples(dataset.examples),
    ]
    return html.page("One night of curation", parts)


def funnel(stages: Sequence[Stage]) -> str:
    """Return the stages as bars, and under each what was lost there and why."""
    most = max(1, *(stage.total for stage in stages))
    return html.table(
        ("stage, and what was lost there", "count", ""),
        (row for stage in stages for row in _rows(stage, most)),
    )


def _rows(stage: Stage, most: int) -> Iterator[tuple[str, ...]]:
    bar = html.bar(stage.total / most)
    yield html.cell(stage.name), html.number(f"{stage.total:,}"), html.drawing(bar, is_long=True)
    for why, count in stage.losses.items():
        lost = html.bar(count / most, is_loss=True)
        yield html.loss(why), html.number(f"- {count:,}"), html.drawing(lost, is_long=True)


def _bursts(bursts: Sequence[FeedbackBurst]) -> Iterator[str]:
    if bursts:
        yield html.heading("Users who said more in a day than is listened to")
        yield html.table(
            ("user", "day", "judgements ignored"),
            (
                (html.cell(one.user_id), html.cell(one.day), html.number(str(one.ignored)))
                for one in bursts
            ),
        )


def _repeats(repeats: Sequence[Repeat]) -> Iterator[str]:
    if repeats:
        rows = (
            (html.cell(one.task_id), html.cell(one.of), html.number(f"{one.similarity:.0%}"))
            for one in repeats[:_MOST_REPEATS]
        )
        yield html.details(
            f"Exact and near duplicates that were left out, and of what: the first of {len(repeats)} "
            "that the manifest names",
            html.table(("task left out", "nearly the same as", "similarity"), rows),
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
