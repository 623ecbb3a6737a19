"""Pictures: the plots of a registration, drawn once, for the page and for the report."""

import base64
from dataclasses import dataclass
from pathlib import Path

from tracemill.deploy.plots import plot_live, plot_loss, to_png
from tracemill.deploy.registration import Registration
from tracemill.evaluation.forest import plot_forest


@dataclass(frozen=True)
class Picture:
    """A plot as PNG."""

    name: str
    title: str
    png: bytes

    @property
    def data_uri(self) -> str:
        """The picture as a `data:` address, so that a page needs no file beside it."""
        return f"data:image/png;base64,{base64.b64encode(self.png).decode()}"

    def write(self, folder: Path) -> None:
        """Write the picture as `<name>.png`."""
        (folder / f"{self.name}.png").write_bytes(self.png)


def draw_pictures(registration: Registration) -> dict[str, Picture]:
    """Return forest, loss and live by name, those for which there is something to draw."""
    figures = {
        "forest": ("Differences by slice", plot_forest(registration.verdict)),
        "loss": ("Training loss", plot_loss(registration.candidate.used)),
        "live": ("Live failure rates", plot_live(registration.live) if registration.live else None),
    }
    return {
        name: Picture(name, title, to_png(figure))
        for name, (title, figure) in figures.items()
        if figure is not None
    }
