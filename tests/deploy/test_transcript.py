from tests.deploy.rounds import BEFORE, BETTER, SUITE
from tests.evaluation.cards import CANDIDATE, CHAMPION, card
from tracemill.deploy.transcript import list_changes, to_text
from tracemill.evaluation.gate import judge
from tracemill.evaluation.gate_rules import GateRules
from tracemill.ingest.trace import Message, ToolCall


def test_each_changed_task_is_shown_with_both_tries() -> None:
    candidate = card(SUITE, CANDIDATE, {"refund_order": 1, "convert": 59})
    champion = card(SUITE, CHAMPION, BEFORE)
    verdict = judge(candidate, champion, SUITE, GateRules())

    broken, fixed = list_changes(verdict, SUITE, champion, candidate)

    assert (broken.direction, broken.task_id) == ("broken", "convert-59")
    assert (broken.champion, broken.candidate) == ("assistant: done", "assistant: no idea")
    assert (fixed.direction, fixed.task_id) == ("fixed", "refund_order-00")
    assert fixed.request == "user: please do refund_order-00"
    assert fixed.sources == ("trace-refund_order-00",)


def test_of_several_seeds_one_is_shown_in_which_they_differ() -> None:
    seeds = [0, 1, 2]
    candidate = card(SUITE, CANDIDATE, BETTER, seeds=seeds)
    champion = card(SUITE, CHAMPION, BEFORE, seeds=seeds)
    equal = [
        each.model_copy(update={"reward": 1.0, "messages": ()})
        if (each.task_id, each.seed) == ("refund_order-00", 0)
        else each
        for each in champion.rollouts
    ]
    champion = champion.model_copy(update={"rollouts": tuple(equal)})
    verdict = judge(candidate, champion, SUITE, GateRules())

    changes = list_changes(verdict, SUITE, champion, candidate)

    assert [each.seed for each in changes if each.task_id == "refund_order-00"] == [1]


def test_calls_and_replies_are_lines_of_text() -> None:
    call = ToolCall(id="c", name="refund_order", arguments='{"order_id": 332}')
    messages = (
        Message(role="assistant", content="One moment.", tool_calls=(call,)),
        Message(role="tool", content='{"ok": true}'),
        Message(role="assistant"),
    )

    assert to_text(messages).splitlines() == [
        "assistant: One moment.",
        'assistant calls refund_order {"order_id": 332}',
        'tool: {"ok": true}',
        "assistant: (nothing)",
    ]


def test_a_rollout_that_said_nothing_and_a_long_one_are_told_as_such() -> None:
    assert to_text(()) == "(nothing)"
    assert to_text([Message(role="tool", content="x" * 700)]).endswith("… (100 more characters)")
