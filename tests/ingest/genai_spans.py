"""Spans in the GenAI conventions, a line each: model calls, tools, agents."""

from typing import Any

from tests.ingest.conversation import TRACE, dumps
from tests.ingest.reading import traces_of
from tests.ingest.samples import attributes, otlp, span
from tracemill.ingest.trace import Trace


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
