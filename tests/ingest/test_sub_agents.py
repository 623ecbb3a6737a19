"""Sub-agents: each its own transcript, under the call that started it, and all usage once."""

from tests.ingest.conversation import dumps
from tests.ingest.genai_spans import (
    ASKED,
    SUB_ASKED,
    agent,
    call_part,
    contents,
    made,
    model,
    operation,
    research,
    result_part,
    spans_of_main,
    text_part,
    tool,
    trace_of,
    used,
)
from tests.ingest.samples import attributes
from tracemill.ingest.trace import Message, Trace
from tracemill.ingest.usage import Usage


def test_a_sub_agent_is_nested_under_the_call_that_started_it() -> None:
    trace = trace_of(
        *spans_of_main(call_part("c1", "researcher")),
        tool(3, 1, "c1"),
        agent(4, 3, "sub"),
        model(5, 4, SUB_ASKED, [call_part("s1", "search")], **used(3, 4)),
        tool(6, 4, "s1", "search", status={"code": 2, "message": "timeout"}),
        model(7, 4, [*SUB_ASKED, call_part("s1", "search"), result_part("s1", "Error")],
              [text_part("assistant", "42")], gen_ai__response__model="small", **used(5, 6)),
    )  # fmt: skip

    (sub,) = trace.sub_agents
    assert contents(trace) == ["a", "call c1", "42", "It is 42."]
    assert trace.agent == "main"
    assert (sub.agent, sub.tool_call_id, sub.model.name) == ("sub", "c1", "small")
    assert contents(sub) == ["research", "call s1", "Error", "42"]
    assert sub.messages[2].is_error is True
    assert [(step.message, step.completion_tokens) for step in sub.steps] == [(1, 4), (3, 6)]
    assert sub.error is None


def test_usage_counts_each_model_call_once_and_no_agents_total() -> None:
    spans = spans_of_main(call_part("c1", "researcher"))
    total = attributes(
        gen_ai__operation__name="invoke_agent", gen_ai__agent__name="main", **used(999, 999)
    )

    trace = trace_of(made(1, None, total), *spans[1:], tool(3, 1, "c1"), research(5, 3))

    assert [step.prompt_tokens for step in trace.steps] == [10, 20]
    assert trace.usage == Usage(calls=3, prompt_tokens=33, completion_tokens=7, cost_usd=0.033)


def test_a_call_that_was_tried_again_is_in_the_usage_though_not_in_the_transcript() -> None:
    trace = trace_of(
        model(1, None, ASKED, [text_part("assistant", "first try")], **used(5, 5)),
        model(2, None, ASKED, [text_part("assistant", "second try")], **used(6, 6)),
    )

    assert len(trace.steps) == 1
    assert trace.unplaced == Usage(calls=1, prompt_tokens=5, completion_tokens=5, cost_usd=0.005)
    assert trace.usage.completion_tokens == 11


def test_sub_agents_nest_two_levels_deep() -> None:
    trace = trace_of(
        *spans_of_main(call_part("c1", "researcher")),
        tool(3, 1, "c1"),
        agent(4, 3, "sub"),
        model(5, 4, SUB_ASKED, [call_part("s1", "reader")], **used(1, 1)),
        tool(6, 4, "s1", "reader"),
        agent(7, 6, "deep"),
        model(8, 7, [text_part("user", "read")], [text_part("assistant", "done")], **used(1, 1)),
    )

    (sub,) = trace.sub_agents
    (deep,) = sub.sub_agents
    assert (deep.agent, deep.tool_call_id, contents(deep)) == ("deep", "s1", ["read", "done"])
    assert [m.content for m in sub.messages if m.role == "tool"] == [""]
    assert trace.usage.calls == 4
    assert Trace.from_json(trace.to_json()) == trace


def test_parallel_sub_agents_stay_apart_even_with_the_same_ids_and_texts() -> None:
    trace = trace_of(
        *spans_of_main(call_part("c1", "researcher"), call_part("c2", "researcher")),
        tool(3, 1, "c1"), tool(4, 1, "c2"),
        agent(5, 3, "left"), agent(6, 4, "right"),
        model(7, 5, SUB_ASKED, [call_part("s", "search")]), tool(9, 5, "s", "search"),
        model(8, 6, SUB_ASKED, [call_part("s", "search")]),
        tool(10, 6, "s", "search", status={"code": 2, "message": "gone"}),
    )  # fmt: skip

    left, right = trace.sub_agents
    assert [(one.agent, one.tool_call_id) for one in (left, right)] == [
        ("left", "c1"), ("right", "c2"),
    ]  # fmt: skip
    assert [one.messages[2].is_error for one in (left, right)] == [False, True]


def test_a_tool_without_a_call_id_is_matched_by_its_name_and_order() -> None:
    trace = trace_of(
        *spans_of_main(call_part("c1", "other"), call_part("c2", "researcher"), call_part("c3", "researcher")),
        tool(3, 1, None), research(5, 3),
        tool(6, 1, None), research(7, 6),
        tool(8, 1, None), research(9, 8),
    )  # fmt: skip

    assert [one.tool_call_id for one in trace.sub_agents] == ["c2", "c3", None]


def test_an_agent_that_another_agent_runs_without_a_tool_has_no_call() -> None:
    trace = trace_of(
        *spans_of_main(call_part("c1", "find")), tool(3, 1, "c1", "find"),
        agent(4, 1, "critic"), research(5, 4),
    )  # fmt: skip

    (critic,) = trace.sub_agents
    assert (critic.agent, critic.tool_call_id) == ("critic", None)


def test_a_call_may_name_its_agent_itself() -> None:
    said = [text_part("assistant", "42")]
    trace = trace_of(
        *spans_of_main(call_part("c1", "researcher")),
        tool(3, 1, "c1"),
        model(5, 3, SUB_ASKED, said, gen_ai__agent__name="sub"),
    )

    assert [one.agent for one in trace.sub_agents] == ["sub"]


def test_a_call_aside_is_a_conversation_beside_the_main_one() -> None:
    said = [*ASKED, text_part("assistant", "b"), text_part("user", "c")]
    trace = trace_of(
        agent(1, None, "main"),
        model(2, 1, ASKED, [text_part("assistant", "b")], gen_ai__response__model="big"),
        model(3, 1, said, [text_part("assistant", "d")], gen_ai__response__model="big"),
        model(4, 1, [text_part("user", "Title?")], [text_part("assistant", "T")],
              gen_ai__response__model="tiny", **used(7, 8)),
    )  # fmt: skip

    (title,) = trace.sub_agents
    assert contents(title) == ["Title?", "T"]
    assert (title.tool_call_id, title.model.name) == (None, "tiny")
    assert trace.model.name == "big"
    assert trace.usage.prompt_tokens == 7


def test_an_agent_that_takes_over_goes_on_in_the_same_transcript() -> None:
    handed = [*ASKED, call_part("c1", "transfer"), result_part("c1", "specialist")]
    trace = trace_of(
        agent(1, None, "workflow"),
        agent(2, 1, "triage"), model(3, 2, ASKED, [call_part("c1", "transfer")], **used(1, 1)),
        agent(4, 1, "specialist"), model(5, 4, handed, [text_part("assistant", "done")], **used(1, 1)),
    )  # fmt: skip

    assert contents(trace) == ["a", "call c1", "specialist", "done"]
    assert (trace.sub_agents, trace.usage.calls, trace.agent) == ((), 2, "workflow")


def test_agents_beside_each_other_that_share_nothing_are_one_and_its_sub_agents() -> None:
    trace = trace_of(
        agent(1, None, "crew"),
        agent(2, 1, "researcher"), research(3, 2), tool(4, 2, None, "search"),
        agent(5, 1, "writer"),
        model(6, 5, [text_part("user", "write")], [call_part("w1", "search")], **used(1, 1)),
        model(7, 5, [text_part("user", "write"), call_part("w1", "search"), result_part("w1", "x")],
              [text_part("assistant", "done")], **used(1, 1)),
    )  # fmt: skip

    (researcher,) = trace.sub_agents
    assert contents(trace) == ["write", "call w1", "x", "done"]
    assert (researcher.agent, contents(researcher)) == ("researcher", ["research", "42"])


def test_a_sub_agent_in_another_process_does_not_complete_the_trace() -> None:
    main = agent(1, None, "main", endTimeUnixNano="0")
    remote = agent(4, 3, "sub", flags=0x300)

    trace = trace_of(
        main,
        *spans_of_main(call_part("c1", "researcher"))[1:],
        tool(3, 1, "c1"), remote, research(5, 4),
    )  # fmt: skip

    assert not trace.is_complete


def test_a_sub_agent_that_failed_says_why() -> None:
    broken = agent(4, 3, "sub", status={"code": 2, "message": "429 Too Many Requests"})

    trace = trace_of(*spans_of_main(call_part("c1", "researcher")), tool(3, 1, "c1"), broken)

    (sub,) = trace.sub_agents
    assert (sub.agent, sub.tool_call_id, sub.messages) == ("sub", "c1", ())
    assert sub.error == "429 Too Many Requests"
    assert trace.outcome.error is None


def test_a_sub_agent_whose_last_model_call_failed_says_why() -> None:
    broken = {**model(5, 3, SUB_ASKED, []), "status": {"code": 2, "message": "overloaded"}}

    trace = trace_of(*spans_of_main(call_part("c1", "researcher")), tool(3, 1, "c1"), broken)

    assert [one.error for one in trace.sub_agents] == ["overloaded"]


def test_the_main_agents_instructions_are_none_of_its_sub_agents() -> None:
    system = attributes(
        gen_ai__operation__name="invoke_agent",
        gen_ai__agent__name="main",
        gen_ai__system_instructions=dumps([{"type": "text", "content": "Be kind."}]),
        gen_ai__input__messages=dumps(ASKED),
    )

    trace = trace_of(
        made(1, None, system),
        *spans_of_main(call_part("c1", "researcher"))[1:],
        tool(3, 1, "c1"), agent(4, 3, "sub"), research(5, 4),
    )  # fmt: skip

    assert trace.messages[0] == Message(role="system", content="Be kind.")
    assert [m.role for m in trace.sub_agents[0].messages] == ["user", "assistant"]


def test_a_main_agent_without_a_name_does_not_take_its_sub_agents() -> None:
    spans = [operation(1, None, "invoke_agent"), *spans_of_main(call_part("c1", "researcher"))[1:]]

    trace = trace_of(*spans, tool(3, 1, "c1"), agent(4, 3, "sub"), research(5, 4))

    assert trace.agent == "shop-agent"  # the service


def test_a_sub_agents_tool_does_not_answer_the_main_agents_call_of_the_same_name() -> None:
    search = call_part("c2", "search")
    trace = trace_of(
        agent(1, None, "main"),
        model(2, 1, ASKED, [{"role": "assistant", "parts": [*call_part("c1", "researcher")["parts"], *search["parts"]]}]),
        tool(3, 1, None), agent(4, 3, "sub"),
        model(5, 4, SUB_ASKED, [call_part("s1", "search")]), tool(6, 4, None, "search"),
    )  # fmt: skip

    assert [m.tool_call_id for m in trace.messages if m.role == "tool"] == ["c1"]
    assert [m.tool_call_id for m in trace.sub_agents[0].messages if m.role == "tool"] == ["s1"]


def test_agents_nested_too_deep_are_counted_but_not_told() -> None:
    spans = [agent(1, None, "main"), model(2, 1, ASKED, [call_part("c", "t")], **used(1, 1))]
    for level in range(1, 40):
        spans += [
            tool(3 * level, 3 * level - 2, "c", "t"),
            agent(3 * level + 1, 3 * level, f"level {level}"),
            model(3 * level + 2, 3 * level + 1, ASKED, [call_part("c", "t")], **used(1, 1)),
        ]

    trace = trace_of(*spans)

    levels, agents = 0, trace.sub_agents
    while agents:
        levels, last, agents = levels + 1, agents[0], agents[0].sub_agents
    assert (levels, last.agent, last.is_truncated) == (8, "level 8", True)
    assert trace.usage.calls == 40


def test_what_sub_agents_say_is_redacted() -> None:
    spans = spans_of_main(call_part("c1", "researcher"))
    said = [text_part("assistant", "Write to ann@example.org")]

    trace = trace_of(*spans, tool(3, 1, "c1"), model(5, 3, SUB_ASKED, said))

    assert "ann@example.org" not in trace.to_json()
    assert "[email:" in (trace.sub_agents[0].messages[-1].content or "")
