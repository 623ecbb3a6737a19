import pytest
from pydantic import JsonValue

from tests.curation.conversations import calls, reply, says, task, user
from tracemill.curation.checks import score
from tracemill.curation.form_checks import run_form
from tracemill.curation.task import (
    ArgumentMatch,
    Check,
    FinalAnswerCheck,
    LimitCheck,
    MatchedCallCheck,
    NoErrorCheck,
    Task,
)
from tracemill.ingest.trace import Message


def passes(check: Check, *messages: Message) -> bool:
    one = task(user("x"), reference=says("y"), checks=(check,))
    assert Task.from_json(one.to_json()) == one
    return score(one, messages, None)[1] == 1.0


@pytest.mark.parametrize(
    ("match", "good", "bad"),
    [
        (ArgumentMatch(name="a", how="equal", value=" Mia"), ["mia", "MIA "], ["Tom", None, 1]),
        (
            ArgumentMatch(name="a", how="near", value=10, tolerance=0.5),
            [10.4, "9.6", 10],
            [10.6, "ten", [10]],
        ),
        (
            ArgumentMatch(name="a", how="set", value=["x", 2]),
            [[2, "X"], ["x", "2"]],
            [["x"], ["x", "x"], "x"],
        ),
        (
            ArgumentMatch(name="a", how="pattern", value=r"HAT\d{3}"),
            ["HAT030"],
            ["HAT03", "xHAT030", 30],
        ),
        (ArgumentMatch(name="a", how="any"), [None, 0, "x", [1]], []),
    ],
)
def test_an_argument_is_matched_as_its_check_says(
    match: ArgumentMatch, good: list[JsonValue], bad: list[JsonValue]
) -> None:
    check = MatchedCallCheck(tool="book", matches=(match,))

    assert all(passes(check, calls("book", {"a": value})) for value in good)
    assert not any(passes(check, calls("book", {"a": value})) for value in bad)
    assert not passes(check, calls("book", {}))
    assert not passes(check, calls("other", {"a": good[0]}))


def test_other_arguments_are_refused_unless_they_are_allowed() -> None:
    strict = MatchedCallCheck(tool="book", matches=(ArgumentMatch(name="a", how="any"),))
    lax = strict.model_copy(update={"allows_others": True})

    assert not passes(strict, calls("book", a=1, b=2))
    assert passes(lax, calls("book", a=1, b=2))


@pytest.mark.parametrize(
    ("check", "answer", "passed"),
    [
        (FinalAnswerCheck(how="equal", value="Order 332  refunded."), "order 332 refunded.", True),
        (FinalAnswerCheck(how="equal", value="refunded"), "it is refunded", False),
        (FinalAnswerCheck(how="pattern", value=r"\brefunded\b"), "It is REFUNDED now", True),
        (FinalAnswerCheck(how="number", value="1250"), "That makes $1,250.00 in all", True),
        (FinalAnswerCheck(how="number", value="1250", tolerance=1), "about 1249.5", True),
        (FinalAnswerCheck(how="number", value="1250"), "12501", False),
        (FinalAnswerCheck(how="pattern", value=".*"), "  ", False),
    ],
)
def test_a_final_answer_is_read_as_its_check_says(check: Check, answer: str, passed: bool) -> None:
    assert passes(check, says(answer)) == passed


def test_an_error_on_the_way_is_seen() -> None:
    made = calls("book", a=1)

    assert passes(NoErrorCheck(), made, reply("ok"), says("done"))
    assert not passes(
        NoErrorCheck(), made, reply("Error: no seat"), made, reply("ok"), says("done")
    )


def test_steps_and_calls_have_limits() -> None:
    messages = (calls("book", a=1), reply("ok"), calls("book", a=2), reply("ok"), says("done"))

    assert passes(LimitCheck(max_steps=3, max_calls=2), *messages)
    assert not passes(LimitCheck(max_steps=2), *messages)
    assert not passes(LimitCheck(max_calls=1), *messages)


def test_tokens_have_a_limit_by_the_models_count_else_by_their_length() -> None:
    short = LimitCheck(max_tokens=10)
    made = calls("book", a=1)

    assert passes(short, says("done" * 10))
    assert not passes(short, says("done" * 10 + "!"))
    assert passes(LimitCheck(max_tokens=3), made)
    assert not passes(LimitCheck(max_tokens=2), made)
    assert run_form(short, (says("done" * 99),), 10).passed
    assert run_form(short, (says("done"),), 11).detail == "1 steps, 0 calls and 11 tokens"
