"""What a later call of the same agent says again is kept once, and nothing of the trace is lost."""

from itertools import pairwise
from typing import Any

import orjson
from hypothesis import given
from hypothesis import strategies as st

from tests.ingest.reading import decode_value, traces_of
from tests.ingest.samples import agent_span, attributes, otlp, span
from tracemill.ingest.span import Span

TRACE = "ab" * 16
AGENT = "a1b2c3d4e5f60718"
HISTORY = "gen_ai.input.messages"
INSTRUCTIONS = "gen_ai.system_instructions"


def said(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def call(number: int, history: list[dict[str, Any]], **fields: Any) -> dict[str, Any]:
    """The model call that has this history, and answers with its number."""
    named = attributes(
        gen_ai__operation__name="chat",
        gen_ai__response__model="gpt-4o",
        gen_ai__usage__input_tokens={"intValue": str(10 * number)},
        gen_ai__system_instructions=orjson.dumps(
            [{"type": "text", "content": "Be kind."}]
        ).decode(),
        gen_ai__input__messages=orjson.dumps(history).decode(),
        gen_ai__output__messages=orjson.dumps([said("assistant", f"answer {number}")]).decode(),
    )
    place = {"parentSpanId": AGENT, "attributes": named, **fields}
    return span(TRACE, f"b{number:015x}", number, number + 0.5, **place)


def calls(count: int) -> list[dict[str, Any]]:
    """Model calls of one agent, each of which repeats what was said before."""
    history = [said("user", "question 0, from ann@example.com")]
    made = []
    for number in range(count):
        made.append(call(number, history))
        history = [*history, said("assistant", f"answer {number}"), said("user", f"and {number}?")]
    return made


def decoded(*spans: dict[str, Any]) -> list[Span]:
    return decode_value(otlp(*spans)).spans


def test_only_the_last_call_keeps_the_history_and_the_earlier_ones_name_a_later_one() -> None:
    first, second, third = decoded(*calls(3))

    assert [HISTORY in each.attributes for each in (first, second, third)] == [False, False, True]
    assert [INSTRUCTIONS in each.attributes for each in (first, second)] == [False, False]
    assert (first.repeated_in, second.repeated_in) == (second.span_id, third.span_id)
    assert third.repeated_in is None


def test_a_history_that_the_next_call_does_not_continue_is_kept() -> None:
    trimmed = call(1, [said("user", "something else")])

    first, second = decoded(calls(1)[0], trimmed)

    assert HISTORY in first.attributes
    assert HISTORY in second.attributes


def test_a_call_of_another_parent_is_another_agents_and_its_history_is_kept() -> None:
    first, second = calls(2)
    second["parentSpanId"] = "c1b2c3d4e5f60718"

    assert all(HISTORY in each.attributes for each in decoded(first, second))


def test_a_history_is_kept_if_the_call_that_repeats_it_cannot_be_read() -> None:
    first, broken = calls(2)
    broken["startTimeUnixNano"] = "soon"

    (kept,) = decoded(first, broken)

    assert HISTORY in kept.attributes


@given(st.permutations(range(6)), st.sets(st.integers(1, 5)))
def test_the_trace_is_the_same_in_whatever_order_and_pieces_its_calls_come(
    order: list[int], cuts: set[int]
) -> None:
    spans = [*calls(5), agent_span(TRACE)]
    alone = traces_of([otlp(each) for each in spans])
    mixed = [spans[place] for place in order]
    edges = [0, *sorted(cuts), 6]

    pieces = [otlp(*mixed[i:j]) for i, j in pairwise(edges)]

    assert traces_of(pieces) == alone
    assert [step.prompt_tokens for step in alone[0].steps] == [0, 10, 20, 30, 40]
