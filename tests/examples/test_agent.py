from datetime import timedelta

from examples.support_desk.agent import prompt_for
from examples.support_desk.handbook import load_handbook
from tests.examples.clerk import NOON, calling, serve_rightly, serve_saying
from tracemill.ingest.trace import Message


def test_the_right_call_fulfils_every_request_but_during_an_outage() -> None:
    served = serve_rightly(80)

    assert all(one.verdict == (0.0 if one.request.is_outage else 1.0) for one in served)
    assert any(one.request.is_outage for one in served)


def test_during_an_outage_the_tool_says_so_and_nothing_is_done() -> None:
    down = [one for one in serve_rightly(80) if one.request.is_outage]

    assert {one.result.messages[-1].content for one in down} == {"Error: 503 Service Unavailable"}
    assert all(one.result.messages[-1].is_error for one in down)


def test_words_in_place_of_a_call_fulfil_nothing() -> None:
    served = serve_saying(Message(role="assistant", content="Your order is refunded."))

    assert {one.verdict for one in served} == {0.0}
    assert {one.result.ending for one in served} == {"answered"}


def test_an_invented_tool_is_answered_and_not_made() -> None:
    served = serve_saying(calling("annul", "{}"))

    assert "no tool is named 'annul'" in (served[0].result.messages[-1].content or "")


def test_the_prompt_holds_one_worked_example_that_is_no_turn_of_the_conversation() -> None:
    system, asked, answered, user = prompt_for("Please cancel order 5.", load_handbook())

    assert {system.role, asked.role, answered.role} == {"system"}
    assert (asked.name, answered.name) == ("example_user", "example_assistant")
    assert answered.content == (
        '<tool_call>\n{"name": "cancel", "arguments": {"order": 3310}}\n</tool_call>'
    )
    assert user == Message(role="user", content="Please cancel order 5.")


def test_requests_come_in_until_now_and_each_has_a_trace_of_its_own() -> None:
    served = serve_rightly(40)

    assert served[-1].started_at == NOON
    assert NOON - timedelta(hours=2) < served[0].started_at < NOON
    assert len({one.trace_id for one in served}) == 40
    assert all(len(bytes.fromhex(one.trace_id)) == 16 for one in served)
