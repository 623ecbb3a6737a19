"""Sub-agents nest in whatever convention their spans are written."""

from typing import Any

from tests.ingest.conversation import TRACE, dumps
from tests.ingest.genai_spans import call_part, contents, made, spans_of_main, tool, trace_of
from tests.ingest.reading import traces_of
from tests.ingest.samples import attributes


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
