"""Night plot: how many traces failed, met an outage or were fine, night by night, as one drawing."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from tracemill.curation.failure_report import NightFigures

_WIDTH, _HEIGHT, _LEFT, _BELOW = 1000, 180, 48, 22
_KINDS = (("failed", "failed"), ("sound", "did not fail"), ("outage", "met an outage"))
"""Class in the page's style, and what it says."""
_MOST_LABELS = 10


class _Bar(NamedTuple):
    """A night's place in the drawing."""

    left: float
    width: float
    scale: float
    """Pixels for each trace."""


def night_plot(nights: Sequence[NightFigures]) -> str:
    """Return the nights as stacked bars, the failed traces at the bottom; nothing for no night."""
    if not nights:
        return ""
    most = max(night.traces for night in nights)
    step = (_WIDTH - _LEFT) / len(nights)
    scale = (_HEIGHT - _BELOW - 16) / max(1, most)
    bars = [
        _stack(night, _Bar(_LEFT + step * i, max(1.0, min(step * 0.8, 60.0)), scale))
        for i, night in enumerate(nights)
    ]
    every = -(-len(nights) // _MOST_LABELS)
    labels = [
        f'<text x="{_LEFT + step * i:.0f}" y="{_HEIGHT - 6}">{escape(nights[i].night)}</text>'
        for i in range(0, len(nights), every)
    ]
    scale_marks = f'<text x="0" y="{_HEIGHT - _BELOW}">0</text><text x="0" y="24">{most:,}</text>'
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="100%" role="img" '
        f'aria-label="traces by night">{_legend()}{scale_marks}{"".join(bars)}{"".join(labels)}</svg>'
    )


def _stack(night: NightFigures, bar: _Bar) -> str:
    sound = night.traces - night.failed - night.infrastructure_traces
    top, parts = float(_HEIGHT - _BELOW), []
    for (kind, _), count in zip(
        _KINDS, (night.failed, sound, night.infrastructure_traces), strict=True
    ):
        height = count * bar.scale
        top -= height
        parts.append(
            f'<rect class="{kind}" x="{bar.left:.1f}" y="{top:.1f}" width="{bar.width:.1f}" '
            f'height="{height:.1f}"/>'
        )
    said = (
        f"{night.night}: {night.failed} of {sound + night.failed} failed, "
        f"{night.infrastructure_traces} met an outage"
    )
    return f"<g><title>{escape(said)}</title>{''.join(parts)}</g>"


def _legend() -> str:
    return "".join(
        f'<rect class="{kind}" x="{_LEFT + 140 * i}" y="2" width="10" height="10"/>'
        f'<text x="{_LEFT + 14 + 140 * i}" y="11">{escape(said)}</text>'
        for i, (kind, said) in enumerate(_KINDS)
    )
