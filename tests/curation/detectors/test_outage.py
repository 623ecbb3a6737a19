"""What failed around an agent, or around an agent that it called, is no evidence about it."""

import pytest

from tests.curation.conversations import MODEL, calls, reply, says, trace, user
from tracemill.curation.detection import detect
from tracemill.ingest.trace import Message, SubAgent, Trace

BUSY = "Error: 503 Service Unavailable"


def sub_agent(*messages: Message, under: str | None = "c2", **fields: object) -> SubAgent:
    given: dict[str, object] = {"agent": "researcher", "tool_call_id": under, "model": MODEL}
    return SubAgent.model_validate({**given, "messages": messages, **fields})


def delegated(*agents: SubAgent) -> Trace:
    """A failed episode whose second call went to a sub-agent."""
    return trace(
        user("refund 332"),
        calls("get_order", order_id=332), reply("order 332"),
        calls("refund_order", order_id=332, id_="c2"), reply("nothing was found", id_="c2"),
        says("I could not do it."),
        outcome={"reward": 0.0}, sub_agents=agents, tools=(),
    )  # fmt: skip


MET_503 = (user("look"), calls("search", q="332"), reply(BUSY), says("I found nothing."))


@pytest.mark.parametrize(
    ("agent", "step", "claim"),
    [
        (sub_agent(*MET_503), 3, "search: Error: 503 Service Unavailable"),
        (sub_agent(*MET_503, under=None), None, "search: Error: 503 Service Unavailable"),
        (
            sub_agent(user("look"), says("…"), sub_agents=(sub_agent(*MET_503, under="s1"),)),
            3,
            "search: Error: 503 Service Unavailable",
        ),
        (
            sub_agent(user("look"), says("…"), steps=({"message": 1, "error": "rate limit"},)),
            3,
            "the model call failed: rate limit",
        ),
        (
            sub_agent(user("look"), error="the worker was killed"),
            3,
            "researcher, a sub-agent, failed: the worker was killed",
        ),
    ],
)
def test_an_outage_that_a_sub_agent_met_is_one_of_the_whole_episode(
    agent: SubAgent, step: int | None, claim: str
) -> None:
    (finding,) = detect(delegated(agent))  # and its reward of 0 is held against nobody

    assert (finding.detector, finding.kind) == ("outage", "infrastructure")
    assert (finding.step, finding.claim) == (step, claim)


def test_what_a_sub_agent_did_wrong_itself_is_no_outage() -> None:
    mistaken = sub_agent(
        user("look"), calls("search", q="x"), reply("Error: no such order"), says("Nothing."),
        error="no such order",
    )  # fmt: skip

    found = {finding.detector for finding in detect(delegated(mistaken))}

    assert found == {"low reward"}
