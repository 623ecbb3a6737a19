"""Funnel: a night's way from records to rows, with every loss at the stage where it happened."""

from collections.abc import Mapping
from typing import NamedTuple

from tracemill.curation.dataset_contents import Manifest

_OF_TRACES = ("the trace met an outage", "quarantined", "the trace is not complete")
_OF_FEEDBACK = ("feedback beyond", "over the cap of judgements")
_OF_SELECTION = (
    "another task has the same prompt", "nearly the same as", "over the cap of failures",
    "over the cap of healthy", "only the suite may see", "older than the days", "the champion",
    "no try of the champion", "no reference, and the champion", "forgotten on request",
)  # fmt: skip
_OF_PAIRS = (
    "both sides say the same", "the sides differ in form", "the checks do not tell the sides apart",
    "a row nearly the same", "over the cap of pairs",
)  # fmt: skip
"""How the reasons of each stage begin; all others are of steps that gave no sound task."""


class Stage(NamedTuple):
    """One stage, and what was lost before the next."""

    name: str
    total: int
    losses: dict[str, int]
    """Reason → how many, the largest first."""


def funnel_of(manifest: Manifest, undecoded: Mapping[str, int] | None = None) -> tuple[Stage, ...]:
    """Return the stages of the night that made this dataset.

    `undecoded` counts the records that could not be read, by reason.
    """
    refused, counts = manifest.refused, manifest.counts
    of_traces = _those(refused, _OF_TRACES)
    of_selection = _those(refused, _OF_SELECTION)
    of_pairs = _those(refused, _OF_PAIRS)
    of_feedback = _those(refused, _OF_FEEDBACK)
    placed = {**of_traces, **of_selection, **of_pairs, **of_feedback}
    of_steps = _sorted({why: count for why, count in refused.items() if why not in placed})
    kept = counts["tasks"] + counts["suite"]
    sound = kept + sum(of_selection.values())
    records = sum(each.last_offset - each.first_offset + 1 for each in manifest.sources)
    lost = _sorted(undecoded or {})
    return (
        Stage("records of the traces, on the wire", records + sum(lost.values()), lost),
        Stage("traces", manifest.traces, of_traces),
        Stage("traces that may teach", manifest.traces - sum(of_traces.values()), of_feedback),
        Stage("steps looked at", sound + sum(of_steps.values()), of_steps),
        Stage("sound tasks", sound, of_selection),
        Stage("tasks kept", kept, {}),
        Stage("of them held out as the suite", counts["suite"], {}),
        Stage("of them for training: an example each", counts["examples"], {}),
        Stage("pairs looked at", counts["pairs"] + sum(of_pairs.values()), of_pairs),
        Stage("pairs", counts["pairs"], {}),
        Stage("judgements without a pair", counts["unpaired"], {}),
    )


def _those(refused: Mapping[str, int], beginnings: tuple[str, ...]) -> dict[str, int]:
    return _sorted({why: count for why, count in refused.items() if why.startswith(beginnings)})


def _sorted(losses: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(losses.items(), key=lambda item: (-item[1], item[0])))
