from datetime import timedelta
from pathlib import Path

import pytest

from tests.curation.conversations import DAY, calls, reply, says, trace, user
from tests.curation.kept import give_feedback, keep
from tracemill.curation.detectors.policy_breach import policy_detector
from tracemill.curation.detectors.reading import Detector
from tracemill.curation.detectors.repeated_call import find_repeated_calls
from tracemill.curation.detectors.table import DETECTORS
from tracemill.curation.findings import findings_of
from tracemill.curation.mine import mine
from tracemill.curation.modes import failure_modes
from tracemill.curation.policy import ForbiddenText
from tracemill.ingest.store import Store
from tracemill.ingest.trace import Feedback, Trace

REFUSED = (user("refund 7"), calls("refund_order", order_id=7), reply("Error: order 7 not found"))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store.duckdb")


def test_the_airline_runs_hold_73_tool_errors_and_116_failures(
    store: Store, airline: list[Trace]
) -> None:
    keep(store, airline)

    report = mine(store, now=DAY)

    assert (report.traces, report.infrastructure_traces) == (200, 0)
    assert report.findings["tool error"] == 73
    assert report.findings["low reward"] == 116


def test_injected_503s_are_infrastructure_and_retries_after_them_are_no_loop(
    store: Store, resilience: list[Trace]
) -> None:
    keep(store, resilience)

    report = mine(store, now=DAY)

    assert report.findings["outage"] == 123
    assert report.findings["tool error"] == 159 - 123
    assert report.findings["repeated call"] == 110 - 108


def test_a_trace_is_read_once_until_it_changes(store: Store) -> None:
    keep(store, [trace(*REFUSED, id_="a"), trace(user("hi"), says("hello"), id_="b")])

    assert mine(store, now=DAY).traces == 2
    assert mine(store, now=DAY).traces == 0
    keep(store, [trace(*REFUSED, *REFUSED, id_="a", revision=2)])
    assert mine(store, now=DAY).traces == 1
    assert [f.revision for f in findings_of(store, ["a"])["a"]].count(1) == 0


def test_mining_tells_how_many_of_the_new_traces_it_has_read(store: Store) -> None:
    told: list[tuple[int, int]] = []
    keep(store, [trace(*REFUSED, id_=f"t{number}") for number in range(1200)])

    mine(store, now=DAY, progress=lambda *heard: told.append(heard))
    mine(store, now=DAY, progress=lambda *heard: told.append(heard))

    assert told == [(1000, 1200), (1200, 1200)]


def test_late_feedback_is_found_without_doubling_what_was_known(store: Store) -> None:
    one = trace(*REFUSED, id_="a")
    keep(store, [one])
    mine(store, now=DAY)
    said = Feedback(id="f", target="a", name="thumbs", score=0.0, created_at=DAY)

    give_feedback(store, [one.model_copy(update={"feedback": (said,)})])
    keep(store, [one])
    mine(store, now=DAY)

    found = findings_of(store, ["a"])["a"]
    assert sorted(finding.detector for finding in found) == ["bad feedback", "tool error"]


def test_a_new_version_of_a_detector_reads_again_and_replaces_its_own_findings(
    store: Store,
) -> None:
    twice = calls("refund_order", order_id=700)
    keep(store, [trace(user("x"), twice, reply("ok"), twice, reply("ok"), id_="a")])
    mine(store, now=DAY)
    newer = Detector("repeated call", 2, "agent", 0.3, "step", find_repeated_calls)

    report = mine(
        store, now=DAY, detectors=[d for d in DETECTORS if d.name != newer.name] + [newer]
    )

    assert report.findings == {"repeated call": 1}
    assert [finding.detector_version for finding in findings_of(store, ["a"])["a"]] == [2]


def test_a_run_that_was_killed_leaves_no_double_findings(store: Store) -> None:
    keep(store, [trace(*REFUSED, id_="a")])
    mine(store, now=DAY)
    store.execute("DELETE FROM mining_progress")  # as if killed before it wrote how far it came

    mine(store, now=DAY)

    assert len(findings_of(store, ["a"])["a"]) == 1


def test_an_outage_takes_the_outcome_out_of_judgement_but_not_what_the_agent_did(
    store: Store,
) -> None:
    down = (calls("refund_order", order_id=70), reply("Error: 503 Service Unavailable"))
    keep(store, [trace(*REFUSED, *down, id_="a", outcome={"reward": 0.0})])

    mine(store, now=DAY)

    kinds = {finding.detector: finding.kind for finding in findings_of(store, ["a"])["a"]}
    assert kinds == {"outage": "infrastructure", "tool error": "agent"}


@pytest.mark.parametrize(
    "spoiled",
    [
        trace(outcome={"error": "crash", "reward": 0.0}),
        trace(user("hi"), outcome={"reward": 0.0}),
        trace(user("hi"), says(""), has_content=False, outcome={"reward": 0.0}),
        trace(
            user("hi"), says("hm"), steps=({"message": 1, "error": "429"},), outcome={"reward": 0.0}
        ),
    ],
)
def test_a_crash_an_api_error_and_a_trace_not_captured_are_infrastructure(
    store: Store, spoiled: Trace
) -> None:
    keep(store, [spoiled])

    report = mine(store, now=DAY + timedelta(days=1))

    assert report.infrastructure_traces == 1
    assert "low reward" not in report.findings


def test_what_a_rule_found_goes_when_the_team_takes_it_back(store: Store) -> None:
    rule = ForbiddenText(name="no promises", pattern="guarantee")
    keep(store, [trace(user("x"), says("I guarantee it"), outcome={"reward": 1.0})])
    mine(store, now=DAY, detectors=(*DETECTORS, policy_detector([rule])))
    assert [mode.detector for mode in failure_modes(store)] == ["policy breach"]

    mine(store, now=DAY)

    assert failure_modes(store) == ()
    assert store.execute("SELECT count(*) FROM findings") == [(0,)]
    assert mine(store, now=DAY, detectors=(*DETECTORS, policy_detector([rule]))).findings == {
        "policy breach": 1
    }
