"""Spans in the GenAI conventions, a line each: model calls, tools, agents."""

from typing import Any

from tests.ingest.conversation import TRACE, dumps
from tests.ingest.reading import traces_of
from tests.ingest.samples import attributes, otlp, span
from tracemill.ingest.trace import SubAgent, Trace


def text_part(role: str, content: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": content}]}


def call_part(call_id: str, name: str) -> dict[str, Any]:
    return {
        "role": "assistant",
        "parts": [{"type": "tool_call", "id": call_id, "name": name, "arguments": {}}],
    }


def result_part(call_id: str, content: str) -> dict[str, Any]:
    return {
        "role": "tool",
        "parts": [{"type": "tool_call_response", "id": call_id, "response": content}],
    }


def model(own: int, parent: int | None, asked: Any, said: Any, **more: Any) -> dict[str, Any]:
    named = attributes(
        gen_ai__operation__name="chat",
        gen_ai__input__messages=asked if isinstance(asked, str) else dumps(asked),
        gen_ai__output__messages=dumps(said),
        **more,
    )
    return made(own, parent, named)


def operation(own: int, parent: int | None, name: str, **more: Any) -> dict[str, Any]:
    return made(own, parent, attributes(gen_ai__operation__name=name, **more))


def made(
    own: int, parent: int | None, named: list[dict[str, Any]], **fields: Any
) -> dict[str, Any]:
    above = {} if parent is None else {"parentSpanId": f"{parent:016x}"}
    return span(TRACE, f"{own:016x}", own, own + 1, attributes=named, **above, **fields)


def trace_of(*spans: dict[str, Any]) -> Trace:
    (trace,) = traces_of([otlp(*spans)])
    return trace


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


def spans_of_main(*calls: dict[str, Any]) -> list[dict[str, Any]]:
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
