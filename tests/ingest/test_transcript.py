"""One conversation out of many model calls: nothing twice, nothing lost, no one else's."""

from tests.ingest.conversation import dumps
from tests.ingest.genai_spans import (
    call_part,
    contents,
    made,
    model,
    operation,
    result_part,
    text_part,
    trace_of,
)
from tests.ingest.samples import attributes


def test_a_history_that_is_repeated_is_told_once() -> None:
    first = [text_part("user", "a")]
    second = [*first, text_part("assistant", "b"), text_part("user", "c")]

    trace = trace_of(
        model(1, None, first, [text_part("assistant", "b")]),
        model(2, None, second, [text_part("assistant", "d")]),
    )

    assert contents(trace) == ["a", "b", "c", "d"]
    assert [step.message for step in trace.steps] == [1, 3]


def test_a_history_that_was_trimmed_gets_its_lost_messages_back() -> None:
    whole = [text_part("system", "s"), text_part("user", "a")]
    trimmed = [text_part("system", "s"), text_part("assistant", "b"), text_part("user", "c")]

    trace = trace_of(
        model(1, None, whole, [text_part("assistant", "b")]),
        model(2, None, trimmed, [text_part("assistant", "d")]),
    )

    assert contents(trace) == ["s", "a", "b", "c", "d"]


def test_a_call_that_tells_only_what_is_new_goes_on_where_the_last_one_ended() -> None:
    trace = trace_of(
        model(1, None, [text_part("user", "a")], [call_part("c1", "find")]),
        model(2, None, [result_part("c1", "found")], [text_part("assistant", "done")]),
    )

    assert contents(trace) == ["a", "call c1", "found", "done"]


def test_a_call_that_is_tried_again_counts_with_its_last_answer() -> None:
    asked = [text_part("user", "a")]

    trace = trace_of(
        model(1, None, asked, [text_part("assistant", "first try")]),
        model(2, None, asked, [text_part("assistant", "second try")]),
    )

    assert contents(trace) == ["a", "second try"]


def test_a_router_that_shares_no_message_is_no_part_of_the_conversation() -> None:
    first = [text_part("user", "a")]
    second = [*first, text_part("assistant", "b"), text_part("user", "c")]

    trace = trace_of(
        model(1, None, [text_part("user", "Which topic?")], [text_part("assistant", "orders")]),
        model(2, None, first, [text_part("assistant", "b")]),
        model(3, None, second, [text_part("assistant", "d")]),
    )

    assert contents(trace) == ["a", "b", "c", "d"]


def test_two_instrumentations_of_one_call_count_once() -> None:
    asked, said = [text_part("user", "a")], [text_part("assistant", "b")]
    tokens = {"gen_ai__usage__input_tokens": {"intValue": "7"}}

    trace = trace_of(model(1, None, asked, said, **tokens), model(2, 1, asked, said, **tokens))

    assert contents(trace) == ["a", "b"]
    assert [step.prompt_tokens for step in trace.steps] == [7]


def test_of_two_instrumentations_the_one_that_captured_content_counts() -> None:
    asked, said = [text_part("user", "a")], [text_part("assistant", "b")]
    silent = attributes(gen_ai__operation__name="chat", gen_ai__response__model="m")

    outer = trace_of(model(1, None, asked, said), made(2, 1, silent), made(3, 2, silent))
    middle = trace_of(made(1, None, silent), model(2, 1, asked, said), made(3, 2, silent))
    neither = trace_of(made(1, None, silent), made(2, 1, silent))

    assert contents(outer) == contents(middle) == ["a", "b"]
    assert [step.started_at for step in outer.steps] < [step.started_at for step in middle.steps]
    assert (neither.model.name, neither.has_content) == ("m", False)


def test_a_call_without_any_result_has_none_and_a_failed_one_says_why() -> None:
    failed = made(
        2, None,
        attributes(gen_ai__operation__name="execute_tool", gen_ai__tool__call__id="c2"),
        status={"code": 2, "message": "no such order"},
    )  # fmt: skip
    calls = [call_part("c1", "find")["parts"][0], call_part("c2", "find")["parts"][0]]

    trace = trace_of(
        model(1, None, [text_part("user", "a")], [{"role": "assistant", "parts": calls}]), failed
    )

    assert [
        (m.tool_call_id, m.content, m.is_error) for m in trace.messages if m.role == "tool"
    ] == [("c2", "no such order", True)]


def test_a_result_is_an_error_if_its_span_says_so_even_where_the_history_does_not() -> None:
    asked = [text_part("user", "a")]
    answered = [*asked, call_part("c1", "find"), result_part("c1", "Error: nothing")]
    tool = attributes(
        gen_ai__operation__name="execute_tool", gen_ai__tool__call__id="c1", error__type="E"
    )

    trace = trace_of(
        model(1, None, asked, [call_part("c1", "find")]),
        made(2, None, tool),
        model(3, None, answered, [text_part("assistant", "sorry")]),
    )

    assert trace.messages[2].is_error is True


def test_a_history_cut_within_its_json_keeps_what_is_whole_and_says_so() -> None:
    text = dumps([text_part("user", "a"), text_part("user", "cut off here")])

    trace = trace_of(model(1, None, text[:-30], [text_part("assistant", "b")]))

    assert trace.is_truncated
    assert contents(trace) == ["a", "b"]


def test_a_last_call_that_failed_without_an_answer_is_the_providers_failure() -> None:
    broken = model(1, None, [text_part("user", "a")], [])

    trace = trace_of({**broken, "status": {"code": 2, "message": "429 Too Many Requests"}})

    assert trace.outcome.error == "429 Too Many Requests"


def test_a_clock_that_runs_backwards_gives_no_end() -> None:
    wrong = model(3, None, [text_part("user", "a")], [text_part("assistant", "b")])
    wrong["endTimeUnixNano"] = str(int(wrong["startTimeUnixNano"]) - 10**9)

    (step,) = trace_of(wrong).steps

    assert step.started_at is not None
    assert step.ended_at is None


def test_a_trace_whose_content_was_not_captured_says_so() -> None:
    trace = trace_of(operation(1, None, "chat", gen_ai__response__model="m"))

    assert not trace.has_content
    assert trace.model.name == "m"


def test_a_placeholder_is_no_time_of_a_step() -> None:
    unset = model(1, None, [text_part("user", "a")], [text_part("assistant", "b")])
    unset |= {"startTimeUnixNano": "1", "endTimeUnixNano": "2"}

    trace = trace_of(unset)

    assert [(step.started_at, step.ended_at) for step in trace.steps] == [(None, None)]
    assert trace.started_at.year > 2000


def test_an_end_before_the_beginning_is_no_end_of_the_trace() -> None:
    late = model(5, None, [text_part("user", "a")], [text_part("assistant", "b")])
    late["endTimeUnixNano"] = str(int(late["startTimeUnixNano"]) - 10**9)

    assert trace_of(late).ended_at is None


def test_a_tools_span_is_its_calls_by_name_where_the_history_lost_all_ids() -> None:
    """Google ADK takes the ids that it gave out of the history again."""
    call = {"role": "assistant", "parts": [{"type": "tool_call", "name": "find", "arguments": {}}]}
    span = attributes(
        gen_ai__operation__name="execute_tool",
        gen_ai__tool__name="find",
        gen_ai__tool__call__id="adk-1",
    )
    failed = made(2, None, span, status={"code": 2, "message": "gone"})

    trace = trace_of(model(1, None, [text_part("user", "a")], [call]), failed)

    assert [
        (m.tool_call_id, m.content, m.is_error) for m in trace.messages if m.role == "tool"
    ] == [("call_1_0", "gone", True)]


def test_a_tools_span_of_another_id_answers_no_call_that_has_its_own() -> None:
    span = attributes(
        gen_ai__operation__name="execute_tool",
        gen_ai__tool__name="find",
        gen_ai__tool__call__id="c9",
    )

    trace = trace_of(
        model(1, None, [text_part("user", "a")], [call_part("c1", "find")]), made(2, None, span)
    )

    assert [m.role for m in trace.messages] == ["user", "assistant"]
