import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.deploy.rounds import NOW, WORSE, registration_of
from tests.evaluation.cards import CANDIDATE, card
from tracemill.deploy.live import make_rate
from tracemill.deploy.pictures import draw_pictures
from tracemill.deploy.registration import Registration
from tracemill.deploy.report import render_report
from tracemill.evaluation.gate import judge
from tracemill.evaluation.gate_rules import GateRules
from tracemill.ingest.trace import Message, ModelRef

CHAMPION = ModelRef(name="desk", version="1")


class Page(HTMLParser):
    """The tags, addresses and text of a page."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.text = ""
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [str(value) for name, value in attrs if name in ("src", "href")]

    def handle_data(self, data: str) -> None:
        self.text += data


def rendered(registration: Registration) -> str:
    return render_report(registration, draw_pictures(registration), version="2")


@pytest.fixture
def better(tmp_path: Path) -> Registration:
    rate = make_rate(CHAMPION, traces=40, failed=30, infrastructure=2, seen=(NOW, NOW))
    return replace(registration_of(tmp_path, CHAMPION), live=(rate,))


def test_the_report_shows_every_change_and_needs_nothing_beside_it(better: Registration) -> None:
    page = Page(rendered(better))

    assert page.tags.count("details") == 55
    assert page.tags.count("img") == 3
    assert all(address.startswith("data:image/png;base64,") for address in page.addresses)


def test_the_report_tells_verdict_slices_data_cost_and_integrity(better: Registration) -> None:
    text = Page(rendered(better)).text

    for part in (
        "Promote: version 2 passes 96% of held-out tasks, version 1 50%",
        "refund_order600 of 60 (0%)55 of 60 (92%)",
        "agent-traces, partition 0: 5 to 120",
        "intelligence per dollar",
        better.candidate.weights_sha256,
        "75% failed: 30 of 40 traces",
    ):
        assert part in text


def test_text_of_traces_is_no_markup(better: Registration) -> None:
    evil = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>"
    rollouts = tuple(
        each.model_copy(update={"messages": (Message(role="assistant", content=evil),)})
        for each in better.champion_card.rollouts
    )
    card_ = better.champion_card.model_copy(update={"rollouts": rollouts})

    source = rendered(replace(better, champion_card=card_))

    page = Page(source)
    assert "script" not in page.tags
    assert page.tags.count("img") == 3
    assert evil in page.text
    assert re.search(r"Content-Security-Policy\" content=\"default-src 'none'", source)


def test_an_unsound_comparison_has_a_report_too(better: Registration) -> None:
    odd = card(better.suite, CANDIDATE, {}, seeds=[1])
    verdict = judge(odd, better.champion_card, better.suite, GateRules())

    text = Page(rendered(replace(better, verdict=verdict))).text

    assert "the comparison is not sound: the seeds differ" in text


def test_a_held_candidate_says_so(tmp_path: Path) -> None:
    text = Page(rendered(registration_of(tmp_path, CHAMPION, WORSE))).text

    assert "Hold: version 2 must not replace version 1" in text
    assert "What got worse: 40 tasks" in text
