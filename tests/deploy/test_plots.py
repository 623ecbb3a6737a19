from pathlib import Path

import numpy as np

from tests.deploy.rounds import NOW, candidate_of, dataset_of
from tracemill.deploy.live import make_rate
from tracemill.deploy.plots import plot_live, plot_loss, save, to_png
from tracemill.ingest.trace import ModelRef


def test_each_stage_has_its_panel_with_its_losses(tmp_path: Path) -> None:
    candidate = candidate_of(tmp_path, dataset_of(tmp_path / "data"), ModelRef(name="desk"))

    figure = plot_loss(candidate.used)

    (axes,) = figure.axes
    assert axes.get_title() == "SFT: 4 rows, 30 s"
    assert np.asarray(axes.lines[0].get_xydata()).tolist() == [[1, 2.5], [2, 1.25], [3, 0.5]]


def test_each_version_has_its_bar_with_its_counts(tmp_path: Path) -> None:
    rates = [
        make_rate(ModelRef(name="desk", version=version), traces=n, failed=n // 2, infrastructure=0,
                  seen=(NOW, NOW))
        for version, n in (("1", 40), ("2", 0))
    ]  # fmt: skip

    figure = plot_live(rates)

    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["desk@2", "desk@1"]
    assert [text.get_text().strip() for text in axes.texts] == [
        "no trace without an outage",
        "50 %  (20 of 40)",
    ]
    assert save(figure, tmp_path / "live.png").read_bytes().startswith(b"\x89PNG")


def test_a_round_without_a_stage_has_an_empty_picture() -> None:
    assert to_png(plot_loss([])).startswith(b"\x89PNG")
