"""Plots: training loss, and live failure rates by model version."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

from matplotlib.figure import Figure

from tracemill.deploy.live import LiveRate
from tracemill.training.round import StageUse

_COLOURS = ("#1f5fa8", "#c26a00", "#1a7f4b")


def plot_loss(used: Sequence[StageUse]) -> Figure:
    """Return the training loss by step, one panel for each stage."""
    figure = Figure(figsize=(4.5 * max(1, len(used)), 2.8), layout="constrained")
    panels = figure.subplots(1, max(1, len(used)), squeeze=False)[0]
    for axes, stage, colour in zip(panels, used, _COLOURS, strict=False):
        steps = [step for step, _ in stage.losses]
        axes.plot(steps, [loss for _, loss in stage.losses], color=colour, marker=".")
        axes.set_title(f"{stage.method.upper()}: {stage.rows_trained} rows, {stage.seconds:.0f} s")
        axes.set_xlabel("step")
        axes.set_ylabel("loss")
        axes.spines[["top", "right"]].set_visible(False)
    return figure


def plot_live(rates: Sequence[LiveRate]) -> Figure:
    """Return the share of live traces that failed, by model version, with its interval."""
    figure = Figure(figsize=(7, 1.4 + 0.5 * max(1, len(rates))), layout="constrained")
    axes = figure.subplots()
    for place, rate in enumerate(reversed(rates)):
        if rate.share is None:
            axes.text(0, place, "no trace without an outage", va="center")
            continue
        colour = _COLOURS[(len(rates) - 1 - place) % len(_COLOURS)]
        axes.barh(place, 100 * rate.share, color=colour, height=0.5)
        ends = [100 * rate.low, 100 * rate.high]
        axes.plot(ends, [place, place], color="black", linewidth=1.4)
        text = f" {100 * rate.share:.0f} %  ({rate.failed} of {rate.traces})"
        axes.text(ends[1] + 1, place, text, va="center")
    labels = [rate.model.label.replace("$", r"\$") for rate in reversed(rates)]
    axes.set_yticks(range(len(rates)), labels)
    axes.set_xlim(0, 130)
    axes.set_xticks(range(0, 101, 20))
    axes.set_xlabel("live traces that failed, in % (95 % interval)")
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def to_png(figure: Figure) -> bytes:
    """Return the figure as PNG."""
    content = BytesIO()
    figure.savefig(content, format="png", dpi=100)
    return content.getvalue()


def save(figure: Figure, path: Path) -> Path:
    """Write the figure as PNG and return its path."""
    path.write_bytes(to_png(figure))
    return path
