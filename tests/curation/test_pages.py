from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.curation.conversations import DAY, MODEL, calls, reply, says, trace, user
from tests.curation.kept import keep
from tests.curation.test_draft import FAILED_332
from tracemill.curation.curation_page import curation_page
from tracemill.curation.dataset import freeze
from tracemill.curation.draft import draft
from tracemill.curation.failure_page import failure_page
from tracemill.curation.failure_report import failure_overview
from tracemill.curation.feedback_bursts import FeedbackBurst
from tracemill.curation.html import sparkline
from tracemill.curation.mine import mine
from tracemill.curation.options import CurationOptions
from tracemill.curation.row_building import rows_of
from tracemill.ingest.store import Store

EVIL = "<script>alert('332')</script>"
OPTIONS = CurationOptions(heldout_share=0.0001)
RESEARCHER = {
    "agent": "researcher",
    "tool_call_id": "c1",
    "model": MODEL,
    "messages": (user(f"read {EVIL}"), says("It says 332.")),
    "error": "gave up",
}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    found = Store(tmp_path / "store.duckdb")
    failing = trace(
        user(f"refund 332 {EVIL}"),
        calls("refund_order", order_id=1),
        reply(f"Error: {EVIL}"),
        outcome=FAILED_332,
        sub_agents=(RESEARCHER,),
    )
    down = trace(user("x"), calls("refund_order", order_id=1), reply("Error: HTTP 503"), id_="down")
    keep(found, [failing, down])
    mine(found, now=DAY)
    return found


class Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_failure_page_shows_modes_and_traces_and_runs_nothing_of_them(store: Store) -> None:
    text = failure_page(store)

    tags = Tags(text)
    assert (tags.open, "script" in tags.seen) == ([], False)
    assert "1 of 1 traces failed (100.0%); 1 more met an outage" in text
    assert "&lt;script&gt;" in text


def test_the_failure_page_shows_what_sub_agents_said(store: Store) -> None:
    text = failure_page(store)

    assert "&gt; researcher, called by c1, failed: gave up" in text
    assert "It says 332." in text


def test_the_failure_page_leads_from_a_mode_to_its_trace_with_claim_version_and_evidence(
    store: Store,
) -> None:
    text = failure_page(store)
    line = next(one for one in failure_overview(store).lines if one.is_failure)

    assert f'<a href="#{line.mode}">' in text
    assert f'<details id="{line.mode}">' in text
    assert "message 1: refund_order: " in text
    assert "(tool error 1)" in text
    assert "[1 assistant] → refund_order(" in text


def test_incidents_and_nights_are_drawn(store: Store) -> None:
    met = [
        trace(user("x"), calls("refund_order", order_id=1), reply("Error: HTTP 503"), id_=f"o{n}")
        for n in range(6)
    ]
    keep(store, met)
    mine(store, now=DAY)

    text = failure_page(store)

    assert "Incidents: many traces at one time" in text
    assert "<title>2026-03-01: 1 of 1 failed, 7 met an outage</title>" in text


def test_the_curation_page_says_whose_feedback_was_ignored_and_what_could_not_be_read(
    store: Store, tmp_path: Path
) -> None:
    drafted = draft(store, OPTIONS)
    rows = rows_of(drafted, OPTIONS)
    dataset = freeze(drafted, rows, folder=tmp_path / "datasets", options=OPTIONS, now=DAY)

    text = curation_page(
        dataset,
        failure_overview(store),
        undecoded={"no known format": 3},
        bursts=(FeedbackBurst("mia", "2026-03-01", 7),),
    )

    assert Tags(text).open == []
    for said in ("no known format", "- 3", "mia", "2026-03-01", ">7<"):
        assert said in text


def test_the_curation_page_names_every_loss_and_shows_both_sides(
    store: Store, tmp_path: Path
) -> None:
    drafted = draft(store, OPTIONS)
    dataset = freeze(
        drafted, rows_of(drafted, OPTIONS), folder=tmp_path / "datasets", options=OPTIONS, now=DAY
    )

    text = curation_page(dataset, failure_overview(store))

    assert Tags(text).open == []
    assert all(reason in text for reason in dataset.manifest.refused)
    assert "pair from expectation" in text
    assert all(side in text for side in ("chosen", "rejected"))
    assert "<script>" not in text


def test_a_trend_is_drawn_with_its_figures_for_those_who_cannot_see_it() -> None:
    assert 'aria-label="by night: 0, 4, 2"' in sparkline((0, 4, 2))
    assert sparkline(()) == ""
