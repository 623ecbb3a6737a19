import pytest

from tests.curation.conversations import calls, reply, says, trace, user
from tracemill.curation.detection import detect
from tracemill.curation.detectors.policy_breach import policy_detector
from tracemill.curation.policy import (
    ForbiddenText,
    PolicyRule,
    RequiredBefore,
    RequiredConfirmation,
)
from tracemill.ingest.trace import Trace

TEXT = ForbiddenText(name="no promises", pattern=r"\bguarantee\b")
ORDER = RequiredBefore(name="look first", tool="refund_order", first="cancel_order")
ASK = RequiredConfirmation(name="ask first", tool="refund_order")
REFUND = (calls("refund_order", order_id=332), reply("done"))
CANCEL = (calls("cancel_order", order_id=332), reply("done"))


@pytest.mark.parametrize(
    ("rule", "one", "claims"),
    [
        (
            TEXT,
            trace(user("x"), says("I guarantee it")),
            ["no promises: the agent wrote what it may not"],
        ),
        (TEXT, trace(user("guarantee?"), says("I hope so")), []),
        (
            ORDER,
            trace(user("x"), *REFUND),
            ["look first: refund_order was called before cancel_order"],
        ),
        (ORDER, trace(user("x"), *CANCEL, *REFUND), []),
        (
            ASK,
            trace(user("my order"), *REFUND),
            ["ask first: refund_order was called without the user's confirmation"],
        ),
        (ASK, trace(user("my order"), says("refund it?"), user("Yes!"), *REFUND), []),
    ],
)
def test_a_teams_own_rules_are_watched(rule: PolicyRule, one: Trace, claims: list[str]) -> None:
    assert [finding.claim for finding in detect(one, [policy_detector([rule])])] == claims


def test_other_rules_are_another_version() -> None:
    assert policy_detector([TEXT]).version == policy_detector([TEXT]).version
    assert policy_detector([TEXT]).version != policy_detector([TEXT, ASK]).version
