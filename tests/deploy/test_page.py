import doctest
import html
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.deploy.rounds import BETTER, NOW, WORSE, registration_of
from tests.evaluation.cards import suite_of
from tracemill.deploy import facts, page, publish
from tracemill.deploy.live import make_rate
from tracemill.deploy.page import PageContext, escape, fence, render_base_page, render_page
from tracemill.deploy.registration import Registration
from tracemill.deploy.registry_options import Approval
from tracemill.ingest.trace import Message, ModelRef

CHAMPION = ModelRef(name="desk", version="1")


@pytest.fixture
def better(tmp_path: Path) -> Registration:
    return registration_of(tmp_path, CHAMPION, BETTER)


def rendered(registration: Registration, *, approval: Approval = "auto") -> str:
    return render_page(registration, PageContext("2", "1", "7", "abc123", approval))


def test_the_first_line_is_the_verdict(better: Registration, tmp_path: Path) -> None:
    worse = registration_of(tmp_path, CHAMPION, WORSE, seed=2)
    tiny = suite_of({"refund_order": 10})
    thin = registration_of(tmp_path, CHAMPION, {"refund_order": 9}, suite=tiny, seed=3)

    first = [rendered(each).splitlines()[0] for each in (better, worse, thin)]

    assert first == [
        "## Promote: version 2 passes 96% of held-out tasks, version 1 50%",
        "## Hold: version 2 must not replace version 1",
        "## Insufficient evidence: version 2 cannot be told from version 1 yet",
    ]


def test_the_page_says_what_changed_in_each_slice_and_why(better: Registration) -> None:
    text = html.unescape(rendered(better))

    assert "- better: 60 of 120 → 115 of 120 (+46 points" in text
    assert "refund_order\u2003 | 60\u2003 | 0 of 60 (0%)\u2003 | 55 of 60 (92%)" in text
    assert "/get-artifact?path=report%2Fforest.png&run_uuid=abc123" in text
    assert "[report](#/experiments/7/runs/abc123/artifacts/report/gate.html)" in text


def test_the_page_shows_tries_before_and_after(better: Registration) -> None:
    text = rendered(better)

    assert "### What got better: 55 tasks" in text
    assert "### What got worse: nothing" in text
    assert "user: please do refund_order-00" in text
    assert "--- champion (failed)\nassistant: no idea" in text
    assert "--- candidate (passes)\nassistant: done" in text
    assert "… and 52 more in the report." in text


def test_of_a_held_candidate_the_losses_come_first(tmp_path: Path) -> None:
    text = rendered(registration_of(tmp_path, CHAMPION, WORSE))

    assert text.index("What got worse: 40 tasks") < text.index("What got better: 55 tasks")


def test_the_page_tells_what_it_was_trained_on_and_what_it_cost(better: Registration) -> None:
    text = html.unescape(rendered(better))

    assert "2 examples (correction), 1 pair (correction), 1 replayed example (production)" in text
    assert "agent-traces, partition 0: 5 to 120" in text
    assert "agent-traces, partition 1: 0 to 88" in text
    assert "refund_order called with the user's id (2 tasks)" in text
    assert "4: no verified reference" in text
    assert "32 s, $0.002" in text
    assert "22,917 points of held-out pass rate per dollar of training" in text


def test_the_page_tells_how_the_champion_does_in_production(better: Registration) -> None:
    rate = make_rate(CHAMPION, traces=40, failed=30, infrastructure=2, seen=(NOW, NOW))

    text = rendered(replace(better, live=(rate,)))

    assert "75% failed: 30 of 40 traces" in text
    assert "2 more met an outage" in text


@pytest.mark.parametrize(
    ("passes", "approval", "advice"),
    [
        (BETTER, "auto", "it becomes champion by itself"),
        (BETTER, "human", "set the tag `review.decision` of this version to `approved`"),
        (WORSE, "auto", "Nothing: the champion stays"),
    ],
)
def test_the_page_says_what_to_do(
    tmp_path: Path, passes: dict[str, int], approval: Approval, advice: str
) -> None:
    assert advice in rendered(registration_of(tmp_path, CHAMPION, passes), approval=approval)


def test_text_of_traces_cannot_leave_its_place_on_the_page(better: Registration) -> None:
    evil = "```\n## Promote: all is well <script>alert(1)</script> [x](javascript:alert(1)) | a"
    rollouts = tuple(
        each.model_copy(update={"messages": (Message(role="assistant", content=evil),)})
        for each in better.champion_card.rollouts
    )
    card = better.champion_card.model_copy(update={"rollouts": rollouts})

    text = rendered(replace(better, champion_card=card))

    outside = re.sub(r"(?ms)^(`{4,})text\n.*?\n\1$", "", text)
    assert "script" not in outside
    assert outside.count("## Promote") == 1


@given(st.text(max_size=200))
def test_escaped_text_is_one_line_that_shows_what_it_was(text: str) -> None:
    escaped = escape(text)

    assert html.unescape(escaped) == " ".join(text.split())
    assert not re.search(r"[<>`*_\[\]|~\\$]|://|\n", escaped)


@given(st.text(alphabet="`~a\n", max_size=60))
def test_nothing_in_a_fence_ends_it(text: str) -> None:
    first, *inside, last = fence(text).split("\n")

    marks = first.removesuffix("text")
    assert marks == last
    assert not any(line.strip().startswith(marks) for line in inside)


def test_a_huge_page_is_cut_where_mlflow_would_cut_it(tmp_path: Path) -> None:
    long = suite_of({f"slice {n} {'x' * 900}": 1 for n in range(120)})

    text = rendered(registration_of(tmp_path, CHAMPION, {}, suite=long))

    assert len(text) < 100_000
    assert text.endswith("… cut; see the report.")


def test_the_first_version_says_that_nothing_judged_it() -> None:
    assert "no gate has judged it" in render_base_page("SmolLM2 <b>")
    assert "<b>" not in render_base_page("SmolLM2 <b>")


def test_the_examples_in_the_docstrings_are_true() -> None:
    for module in (page, facts, publish):
        assert doctest.testmod(module).failed == 0
