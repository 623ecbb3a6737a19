from dataclasses import replace
from pathlib import Path

from tests.deploy.rounds import NOW, registration_of
from tests.evaluation.cards import CANDIDATE, card
from tracemill.deploy.live import make_rate
from tracemill.deploy.pictures import draw_pictures
from tracemill.evaluation.gate import judge
from tracemill.evaluation.gate_rules import GateRules
from tracemill.ingest.trace import ModelRef

CHAMPION = ModelRef(name="desk", version="1")


def test_a_picture_is_drawn_of_whatever_there_is(tmp_path: Path) -> None:
    registration = registration_of(tmp_path, CHAMPION)
    rate = make_rate(CHAMPION, traces=4, failed=3, infrastructure=0, seen=(NOW, NOW))

    with_live = draw_pictures(replace(registration, live=(rate,)))

    assert list(draw_pictures(registration)) == ["forest", "loss"]
    assert list(with_live) == ["forest", "loss", "live"]
    with_live["live"].write(tmp_path)
    assert (tmp_path / "live.png").read_bytes().startswith(b"\x89PNG")
    assert with_live["live"].data_uri.startswith("data:image/png;base64,iVBOR")


def test_an_unsound_comparison_has_no_forest(tmp_path: Path) -> None:
    registration = registration_of(tmp_path, CHAMPION)
    odd = card(registration.suite, CANDIDATE, {}, seeds=[1])
    verdict = judge(odd, registration.champion_card, registration.suite, GateRules())

    assert list(draw_pictures(replace(registration, verdict=verdict))) == ["loss"]
