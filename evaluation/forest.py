"""Forest: the picture of a verdict, one line with its interval for each slice."""

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tracemill.evaluation.verdict import SliceResult, Verdict
from tracemill.evaluation.wording import signed

COLOURS = {"pass": "#1a7f4b", "fail": "#b3261e", "insufficient": "#8a6d00"}
_GREY = "#8c8c8c"


def plot_forest(verdict: Verdict) -> Figure | None:
    """Return the differences, candidate minus champion, with their intervals and margins.

    None where the verdict rests on no comparison.
    """
    if verdict.overall is None:
        return None
    parts = (verdict.overall, *verdict.slices)
    figure = Figure(figsize=(8, 1.3 + 0.42 * len(parts)), layout="constrained")
    axes = figure.subplots()
    axes.axvline(0, color=_GREY, linewidth=1)
    for place, part in enumerate(reversed(parts)):
        _draw_part(axes, place, part)
    _label(axes, parts, verdict)
    return figure


def _draw_part(axes: Axes, place: int, part: SliceResult) -> None:
    difference, colour = part.difference, COLOURS[part.outcome]
    is_whole = part.margin is None
    if part.margin is not None:
        margin = -100 * part.margin
        axes.plot([margin, margin], [place - 0.38, place + 0.38], color=_GREY, linestyle=":")
    if part.tries == 0:
        axes.text(0, place, "no score", va="center", ha="center", color=colour)
        return
    width = 3.2 if is_whole else 1.8
    ends = [100 * difference.low, 100 * difference.high]
    axes.plot(ends, [place, place], color=colour, linewidth=width, solid_capstyle="butt")
    marker = "D" if is_whole else "o"
    axes.plot(100 * difference.estimate, place, marker, color=colour, markersize=7)


def _label(axes: Axes, parts: tuple[SliceResult, ...], verdict: Verdict) -> None:
    names = [f"{_short(part.name)}  (n = {part.tasks})" for part in reversed(parts)]
    axes.set_yticks(range(len(parts)), names)
    axes.set_ylim(-0.6, len(parts) - 0.4)
    axes.set_xlim(_limits(parts))
    axes.set_xlabel(
        f"difference in pass rate, candidate minus champion, in points "
        f"({parts[0].difference.level:.0%} interval)\ndotted: the largest loss that is tolerated in a slice"
    )
    for place, part in enumerate(reversed(parts)):
        text = f"{signed(part.difference.estimate)}  {part.outcome}" if part.tries else part.outcome
        axes.annotate(
            text,
            (1.01, place),
            xycoords=("axes fraction", "data"),
            va="center",
            color=COLOURS[part.outcome],
        )
    axes.set_title(
        f"{verdict.outcome}: {verdict.candidate.label}\nagainst {verdict.champion.label}",
        loc="left",
        fontweight="bold",
    )
    axes.spines[["top", "right"]].set_visible(False)


def _limits(parts: tuple[SliceResult, ...]) -> tuple[float, float]:
    lows = [part.difference.low for part in parts] + [-(part.margin or 0.0) for part in parts]
    highs = [part.difference.high for part in parts]
    low, high = 100 * min(lows), 100 * max(0.0, *highs)
    room = 0.06 * (high - low)
    return low - room, high + room


def _short(name: str, limit: int = 40) -> str:
    """Return the name as plain text that fits; `$` would start a formula."""
    plain = name.replace("$", r"\$")
    return plain if len(plain) <= limit else f"{plain[: limit - 1]}…"


def save_forest(verdict: Verdict, path: Path) -> Path | None:
    """Write the picture as PNG and return its path; None where there is nothing to draw."""
    figure = plot_forest(verdict)
    if figure is None:
        return None
    figure.savefig(path, dpi=100)
    return path
