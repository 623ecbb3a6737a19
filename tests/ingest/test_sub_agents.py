"""Sub-agents: each its own transcript, under the call that started it, and all usage once."""

from pathlib import Path
from typing import Any

from tests.ingest.conversation import TRACE, dumps
from tests.ingest.genai_spans import (
    call_part,
    made,
    model,
    operation,
    result_part,
    text_part,
    trace_of,
)
from tests.ingest.reading import traces_of
from tests.ingest.samples import attributes
from tracemill.ingest.trace import Message, SubAgent, Trace
from tracemill.ingest.trace_rows import content_hash
from tracemill.ingest.usage import Usage

EXPECTED = Path(__file__).with_name("conversation_trace.json")
ASKED = [text_part("user", "a")]
SUB_ASKED = [text_part("user", "research")]


def used(prompt: int, completion: int) -> dict[str, Any]:
    return {
        "gen_ai__usage__input_tokens": {"intValue": str(prompt)},
        "gen_ai__usage__output_tokens": {"intValue": str(completion)},
        "gen_ai__usage__cost": {"doubleValue": prompt / 1000},
    }


def tool(
    own: int, parent: int, call_id: str | None, name: str = "researcher", **fields: Any
) -> Any:
    named = {} if call_id is None else {"gen_ai__tool__call__id": call_id}
    listed = attributes(gen_ai__operation__name="execute_tool", gen_ai__tool__name=name, **named)
    return made(own, parent, listed, **fields)


def agent(own: int, parent: int | None, name: str, **fields: Any) -> Any:
    listed = attributes(gen_ai__operation__name="invoke_agent", gen_ai__agent__name=name)
    return made(own, parent, listed, **fields)


def spans_of_main(*calls: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
    """The main agent: it makes the calls, gets "42" for each, and answers."""
    parts = [part for call in calls for part in call["parts"]]
    said = {"role": "assistant", "parts": parts}
    answers = [result_part(part["id"], "42") for part in parts]
    return [
        agent(1, None, "main"),
        model(2, 1, ASKED, [said], **used(10, 1)),
        model(
            90, 1, [*ASKED, said, *answers], [text_part("assistant", "It is 42.")], **used(20, 2)
        ),
    ]


def research(own: int, parent: int) -> Any:
    """A sub-agent that answers at once."""
    return model(own, parent, SUB_ASKED, [text_part("assistant", "42")], **used(3, 4))


def contents(one: Trace | SubAgent) -> list[str]:
    return [m.content or f"call {m.tool_calls[0].id}" for m in one.messages]


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


def openinference(own: int, parent: int | None, kind: str, **named: Any) -> Any:
    return made(own, parent, attributes(openinference__span__kind=kind, **named))


def flat(side: str, role: str, content: str) -> dict[str, Any]:
    start = f"llm__{side}_messages__0__message"
    return {f"{start}__role": role, f"{start}__content": content}


def test_openinference_agents_nest_too() -> None:
    call = "llm__output_messages__0__message__tool_calls__0__tool_call"
    calling = {
        "llm__output_messages__0__message__role": "assistant",
        f"{call}__id": "c1", f"{call}__function__name": "researcher",
        f"{call}__function__arguments": "{}",
    }  # fmt: skip

    trace = trace_of(
        openinference(1, None, "AGENT", agent__name="main"),
        openinference(2, 1, "LLM", **flat("input", "user", "a"), **calling),
        openinference(3, 1, "TOOL", tool__name="researcher", tool__id="c1", output__value="42"),
        openinference(4, 3, "AGENT", agent__name="sub"),
        openinference(5, 4, "LLM", **flat("input", "user", "research"), **flat("output", "assistant", "42")),
    )  # fmt: skip

    (sub,) = trace.sub_agents
    assert contents(trace) == ["a", "call c1", "42"]
    assert (sub.agent, sub.tool_call_id, contents(sub)) == ("sub", "c1", ["research", "42"])


def test_a_langsmith_chain_inside_a_tool_is_a_sub_agent() -> None:
    kinds = attributes(langsmith__span__kind="llm", gen_ai__prompt=dumps([{"role": "user", "content": "research"}]),
                       gen_ai__completion=dumps([{"role": "assistant", "content": "42"}]))  # fmt: skip
    chain = made(4, 3, attributes(langsmith__span__kind="chain"))
    spans = spans_of_main(call_part("c1", "researcher"))

    trace = trace_of(*spans, tool(3, 1, "c1"), chain, made(5, 4, kinds))

    assert [(one.agent, contents(one)) for one in trace.sub_agents] == [
        ("researcher", ["research", "42"])
    ]


def test_an_mlflow_agent_has_its_own_name_and_not_its_traces() -> None:
    def span(own: int, parent: int, kind: str, name: str, **named: Any) -> dict[str, Any]:
        values = {"mlflow.spanType": kind, **{f"mlflow.{k}": v for k, v in named.items()}}
        return {
            "span_id": f"{own:016x}", "parent_span_id": f"{parent:016x}" if parent else None,
            "name": name, "start_time_unix_nano": 10**18 + own, "end_time_unix_nano": 10**18 + own + 1,
            "status": {"code": "STATUS_CODE_OK"}, "attributes": {k: dumps(v) for k, v in values.items()},
        }  # fmt: skip

    call = {"id": "c1", "function": {"name": "researcher", "arguments": "{}"}}
    asked = {"messages": [{"role": "user", "content": "a"}]}
    spans = [
        span(1, 0, "AGENT", "run"),
        span(2, 1, "CHAT_MODEL", "chat", spanInputs=asked,
             spanOutputs={"role": "assistant", "tool_calls": [call]}),
        span(3, 1, "TOOL", "researcher", spanOutputs="42"),
        span(4, 3, "AGENT", "sub"),
        span(5, 4, "CHAT_MODEL", "chat", spanInputs=asked, spanOutputs={"role": "assistant", "content": "42"}),
    ]  # fmt: skip
    info = {"trace_id": f"tr-{TRACE}", "tags": {"mlflow.traceName": "main"}}

    (trace,) = traces_of([dumps({"info": info, "data": {"spans": spans}}).encode()])

    (sub,) = trace.sub_agents
    assert (trace.agent, sub.agent, sub.tool_call_id) == ("main", "sub", "c1")


def test_what_sub_agents_say_is_redacted() -> None:
    spans = spans_of_main(call_part("c1", "researcher"))
    said = [text_part("assistant", "Write to ann@example.org")]

    trace = trace_of(*spans, tool(3, 1, "c1"), model(5, 3, SUB_ASKED, said))

    assert "ann@example.org" not in trace.to_json()
    assert "[email:" in (trace.sub_agents[0].messages[-1].content or "")


def test_a_trace_that_an_older_version_wrote_is_read() -> None:
    older = EXPECTED.read_bytes()

    assert b"sub_agents" not in older
    assert Trace.from_json(older).usage.prompt_tokens == 151


def test_a_late_sub_agent_makes_another_revision() -> None:
    spans = spans_of_main(call_part("c1", "researcher"))

    before, after = trace_of(*spans), trace_of(*spans, tool(3, 1, "c1"), research(5, 3))

    assert before.messages[:2] == after.messages[:2]
    assert content_hash(before) != content_hash(after)


def test_a_trace_without_sub_agents_is_written_as_it_ever_was() -> None:
    trace = trace_of(model(1, None, ASKED, [text_part("assistant", "b")]))

    assert trace.id == TRACE
    assert "sub_agents" not in trace.to_json()
    assert "unplaced" not in trace.to_json()
