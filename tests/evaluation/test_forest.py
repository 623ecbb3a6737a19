from pathlib import Path

from tests.evaluation.cards import CANDIDATE, CHAMPION, both, card, suite_of
from tracemill.evaluation.forest import plot_forest, save_forest
from tracemill.evaluation.gate import judge
from tracemill.evaluation.gate_rules import GateRules

SUITE = suite_of({"refund_order": 60, "convert $5 to $9": 60})


def test_each_slice_has_its_line_and_says_how_it_came_out() -> None:
    cards = both(SUITE, {"convert $5 to $9": 60}, {"refund_order": 55, "convert $5 to $9": 40})

    figure = plot_forest(judge(*cards, SUITE, GateRules()))

    assert figure is not None
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        "refund_order  (n = 60)",
        r"convert \$5 to \$9  (n = 60)",
        "all tasks  (n = 120)",
    ]
    assert {text.get_text().split()[-1] for text in axes.texts} == {"pass", "fail"}
    assert axes.get_title("left") == "hold: desk@2\nagainst desk@1"


def test_the_picture_is_written_as_png(tmp_path: Path) -> None:
    cards = both(SUITE, {}, {"refund_order": 55})

    path = save_forest(judge(*cards, SUITE, GateRules()), tmp_path / "forest.png")

    assert path is not None
    assert path.read_bytes().startswith(b"\x89PNG")


def test_a_slice_without_scores_is_drawn_as_such() -> None:
    suite = suite_of({"refund_order": 200, "convert": 1})
    candidate = card(suite, CANDIDATE, {"refund_order": 190}, unscored=["convert-00"])
    verdict = judge(candidate, card(suite, CHAMPION, {}), suite, GateRules())

    figure = plot_forest(verdict)

    assert figure is not None
    assert "no score" in [text.get_text() for text in figure.axes[0].texts]


def test_an_unsound_comparison_has_no_picture(tmp_path: Path) -> None:
    candidate = card(SUITE, CANDIDATE, {}, seeds=[1])
    verdict = judge(candidate, card(SUITE, CHAMPION, {}), SUITE, GateRules())

    assert save_forest(verdict, tmp_path / "forest.png") is None
