"""One conversation, as each dialect writes it: a question, a call, its result, an answer.

Structures are those of the libraries named in the dialects' modules; ids and texts are made up.
"""

import base64
from collections.abc import Callable
from typing import Any

import orjson

from tests.ingest.samples import START, attributes, otlp, span, text
from tracemill.ingest.trace import Message, ToolCall, ToolSpec

TRACE = "7f3a1c52e0b94d6f8a2b6c1d9e0f4a11"
ROOT, FIRST, TOOL, SECOND = (
    "a1b2c3d4e5f60718",
    "b1b2c3d4e5f60718",
    "c1b2c3d4e5f60718",
    "d1b2c3d4e5f60718",
)
MODEL = "gpt-4o-2024-08-06"
SYSTEM, QUESTION, ANSWER = "You are a shop agent.", "Where is A17?", "It shipped."
ARGUMENTS, RESULT = '{"order_id":"A17"}', '{"status":"shipped"}'
SCHEMA = {"type": "object", "properties": {"order_id": {"type": "string"}}}

MESSAGES = (
    Message(role="system", content=SYSTEM),
    Message(role="user", content=QUESTION),
    Message(
        role="assistant",
        tool_calls=(ToolCall(id="call_9f", name="get_order", arguments=ARGUMENTS),),
    ),
    Message(role="tool", content=RESULT, tool_call_id="call_9f", name="get_order"),
    Message(role="assistant", content=ANSWER),
)
TOOLS = (ToolSpec(name="get_order", description="Finds an order.", parameters=SCHEMA),)

OPENAI_TOOL = {
    "type": "function",
    "function": {"name": "get_order", "description": "Finds an order.", "parameters": SCHEMA},
}
OPENAI_CALL = {
    "id": "call_9f",
    "type": "function",
    "function": {"name": "get_order", "arguments": ARGUMENTS},
}
OPENAI_MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": SYSTEM},
    {"role": "user", "content": QUESTION},
    {"role": "assistant", "content": None, "tool_calls": [OPENAI_CALL]},
    {"role": "tool", "tool_call_id": "call_9f", "content": RESULT},
    {"role": "assistant", "content": ANSWER},
]
USAGE = ((61, 15), (90, 6))
"""Prompt and completion tokens of the two calls."""


def dumps(value: Any) -> str:
    return orjson.dumps(value).decode()


def number(value: int) -> dict[str, Any]:
    return {"intValue": str(value)}


def spans_of(*named: dict[str, Any], kinds: tuple[str, ...] = ()) -> list[bytes]:
    """The root, first call, tool and second call with these attributes, in two records."""
    places = [(ROOT, None, 0, 5), (FIRST, ROOT, 1, 2), (TOOL, ROOT, 2, 3), (SECOND, ROOT, 3, 4)]
    made = [
        span(
            TRACE,
            own,
            begin,
            end,
            attributes=listed(given),
            **({"parentSpanId": parent} if parent else {}),
        )
        for (own, parent, begin, end), given in zip(places, named, strict=True)
        if given
    ]
    return [otlp(*made[2:]), otlp(*made[:2])]


def listed(given: dict[str, Any]) -> list[dict[str, Any]]:
    return attributes(**{key.replace(".", "__"): wrapped(value) for key, value in given.items()})


def wrapped(value: Any) -> Any:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return number(value)
    if isinstance(value, list):
        return {"arrayValue": {"values": [text(item) for item in value]}}
    return value


def genai_parts(message: dict[str, Any]) -> dict[str, Any]:
    if message["role"] == "tool":
        part = {"type": "tool_call_response", "id": "call_9f", "response": message["content"]}
        return {"role": "tool", "parts": [part]}
    if calls := message.get("tool_calls"):
        function = calls[0]["function"]
        part = {"type": "tool_call", "id": "call_9f", "name": function["name"]}
        return {"role": "assistant", "parts": [{**part, "arguments": function["arguments"]}]}
    return {"role": message["role"], "parts": [{"type": "text", "content": message["content"]}]}


def genai_c() -> list[bytes]:
    def call(turn: int) -> dict[str, Any]:
        upto = 2 + 2 * turn
        asked = [genai_parts(m) for m in OPENAI_MESSAGES[1:upto]]
        return {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "gpt-4o",
            "gen_ai.response.model": MODEL,
            "gen_ai.response.finish_reasons": [("tool_calls", "stop")[turn]],
            "gen_ai.usage.input_tokens": USAGE[turn][0],
            "gen_ai.usage.output_tokens": USAGE[turn][1],
            "gen_ai.system_instructions": dumps([{"type": "text", "content": SYSTEM}]),
            "gen_ai.input.messages": dumps(asked),
            "gen_ai.output.messages": dumps([genai_parts(OPENAI_MESSAGES[upto])]),
            "gen_ai.tool.definitions": dumps([OPENAI_TOOL["function"]]),
        }

    root = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "shop",
        "gen_ai.usage.input_tokens": 151,
    }
    tool = {
        "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "get_order",
        "gen_ai.tool.call.id": "call_9f", "gen_ai.tool.call.result": RESULT,
    }  # fmt: skip
    return spans_of(root, call(0), tool, call(1))


def log(span_id: str, name: str, time: float, body: dict[str, Any]) -> dict[str, Any]:
    return {
        "traceId": TRACE,
        "spanId": span_id,
        "observedTimeUnixNano": str(START + int(time * 1e9)),
        "eventName": name,
        "body": kvlist(body),
    }


def kvlist(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return {
            "kvlistValue": {"values": [{"key": k, "value": kvlist(v)} for k, v in value.items()]}
        }
    if isinstance(value, list):
        return {"arrayValue": {"values": [kvlist(item) for item in value]}}
    return number(value) if isinstance(value, int) else text(value)


def genai_b_logs() -> list[bytes]:
    """Content in log records (another topic), which may come before the spans."""
    records = []
    for span_id, upto in ((FIRST, 2), (SECOND, 4)):
        for index, message in enumerate(OPENAI_MESSAGES[:upto]):
            body = {
                key: value for key, value in message.items() if value is not None and key != "role"
            }
            if message["role"] == "tool":
                body = {"content": RESULT, "id": "call_9f"}
            records.append(log(span_id, f"gen_ai.{message['role']}.message", 1 + index / 100, body))
        said = {k: v for k, v in OPENAI_MESSAGES[upto].items() if v is not None and k != "role"}
        records.append(
            log(
                span_id,
                "gen_ai.choice",
                1.5,
                {"index": 0, "finish_reason": "stop", "message": said},
            )
        )
    logs = orjson.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]})
    chat = {"gen_ai.operation.name": "chat", "gen_ai.response.model": MODEL}
    tool = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "get_order",
        "gen_ai.tool.call.id": "call_9f",
    }
    calls = [
        {**chat, "gen_ai.usage.input_tokens": used, "gen_ai.usage.output_tokens": made}
        for used, made in USAGE
    ]
    return [logs, *spans_of({"gen_ai.operation.name": "invoke_agent"}, calls[0], tool, calls[1])]


def genai_a() -> list[bytes]:
    """Content in span events, as JSON of OpenAI messages."""
    value = []
    for span_id, begin, upto, (used, made) in ((FIRST, 1, 2, USAGE[0]), (SECOND, 3, 4, USAGE[1])):
        events = [
            {
                "name": "gen_ai.content.prompt",
                "attributes": attributes(gen_ai__prompt=dumps(OPENAI_MESSAGES[:upto])),
            },
            {
                "name": "gen_ai.content.completion",
                "attributes": attributes(gen_ai__completion=dumps([OPENAI_MESSAGES[upto]])),
            },
        ]
        named = attributes(
            gen_ai__operation__name="chat",
            gen_ai__request__model=MODEL,
            gen_ai__usage__prompt_tokens=number(used),
            gen_ai__usage__completion_tokens=number(made),
        )
        parent = {} if span_id == FIRST else {"parentSpanId": FIRST}
        value.append(
            span(TRACE, span_id, begin, begin + 1, attributes=named, events=events, **parent)
        )
    return [otlp(value[0], {**value[1], "parentSpanId": ""})]


def openinference() -> list[bytes]:
    def flat(messages: list[dict[str, Any]], side: str) -> dict[str, Any]:
        named: dict[str, Any] = {}
        for index, message in enumerate(messages):
            start = f"llm.{side}_messages.{index}.message"
            named[f"{start}.role"] = message["role"]
            if message["role"] == "user":
                named[f"{start}.contents.0.message_content.type"] = "text"
                named[f"{start}.contents.0.message_content.text"] = message["content"]
            elif message["content"] is not None:
                named[f"{start}.content"] = message["content"]
            if message.get("tool_calls"):
                call = f"{start}.tool_calls.0.tool_call"
                named[f"{call}.id"] = "call_9f"
                named[f"{call}.function.name"] = "get_order"
                named[f"{call}.function.arguments"] = ARGUMENTS
            if message["role"] == "tool":
                named[f"{start}.tool_call_id"] = "call_9f"
        return named

    def call(turn: int) -> dict[str, Any]:
        upto = 2 + 2 * turn
        return {
            "openinference.span.kind": "LLM",
            "llm.model_name": MODEL,
            "llm.token_count.prompt": USAGE[turn][0],
            "llm.token_count.completion": USAGE[turn][1],
            "llm.tools.0.tool.json_schema": dumps(OPENAI_TOOL),
            **flat(OPENAI_MESSAGES[:upto], "input"),
            **flat([OPENAI_MESSAGES[upto]], "output"),
        }

    tool = {"openinference.span.kind": "TOOL", "tool.name": "get_order", "tool.id": "call_9f"}
    return spans_of({"openinference.span.kind": "AGENT"}, call(0), tool, call(1))


def openllmetry() -> list[bytes]:
    def flat(messages: list[dict[str, Any]], side: str) -> dict[str, Any]:
        named: dict[str, Any] = {}
        for index, message in enumerate(messages):
            start = f"gen_ai.{side}.{index}"
            named[f"{start}.role"] = message["role"]
            if message["role"] == "user":
                named[f"{start}.content"] = '[{"type": "text", "text": "Where is A17?"}]'
            elif message["content"] is not None:
                named[f"{start}.content"] = message["content"]
            if message.get("tool_calls"):
                named[f"{start}.tool_calls.0.id"] = "call_9f"
                named[f"{start}.tool_calls.0.name"] = "get_order"
                named[f"{start}.tool_calls.0.arguments"] = ARGUMENTS
            if message["role"] == "tool":
                named[f"{start}.tool_call_id"] = "call_9f"
        return named

    def call(turn: int) -> dict[str, Any]:
        upto = 2 + 2 * turn
        return {
            "llm.request.type": "chat",
            "gen_ai.system": "OpenAI",
            "gen_ai.response.model": MODEL,
            "gen_ai.usage.prompt_tokens": USAGE[turn][0],
            "gen_ai.usage.completion_tokens": USAGE[turn][1],
            "llm.request.functions.0.name": "get_order",
            "llm.request.functions.0.description": "Finds an order.",
            "llm.request.functions.0.parameters": dumps(SCHEMA),
            **flat(OPENAI_MESSAGES[:upto], "prompt"),
            **flat([OPENAI_MESSAGES[upto]], "completion"),
        }

    workflow = {"traceloop.span.kind": "workflow", "traceloop.entity.name": "shop"}
    tool = {
        "traceloop.span.kind": "tool",
        "traceloop.entity.name": "get_order",
        "traceloop.entity.output": RESULT,
    }
    return spans_of(workflow, call(0), tool, call(1))


def langfuse_otlp() -> list[bytes]:
    def call(turn: int) -> dict[str, Any]:
        upto = 2 + 2 * turn
        return {
            "langfuse.observation.type": "generation",
            "langfuse.observation.model.name": MODEL,
            "langfuse.observation.usage_details": dumps(
                {"input": USAGE[turn][0], "output": USAGE[turn][1]}
            ),
            "langfuse.observation.input": dumps(
                {"messages": OPENAI_MESSAGES[:upto], "tools": [OPENAI_TOOL]}
            ),
            "langfuse.observation.output": dumps(OPENAI_MESSAGES[upto]),
        }

    tool = {"langfuse.observation.type": "tool", "langfuse.observation.output": RESULT}
    return spans_of({"langfuse.observation.type": "agent"}, call(0), tool, call(1))


def langfuse_batch() -> list[bytes]:
    def event(number: int, kind: str, body: dict[str, Any]) -> dict[str, Any]:
        return {
            "id": f"ev-{number}",
            "type": kind,
            "timestamp": "2026-01-05T10:00:00.000Z",
            "body": body,
        }

    def call(turn: int, span_id: str) -> dict[str, Any]:
        upto = 2 + 2 * turn
        return {
            "id": span_id, "traceId": TRACE, "parentObservationId": ROOT, "name": "llm", "model": MODEL,
            "startTime": f"2026-01-05T10:00:0{2 * turn + 1}.000Z",
            "endTime": f"2026-01-05T10:00:0{2 * turn + 2}.000Z",
            "input": {"messages": OPENAI_MESSAGES[:upto], "tools": [OPENAI_TOOL]},
            "output": OPENAI_MESSAGES[upto],
            "usageDetails": {"input": USAGE[turn][0], "output": USAGE[turn][1]},
        }  # fmt: skip

    root = {"id": ROOT, "traceId": TRACE, "name": "turn", "startTime": "2026-01-05T10:00:00.000Z"}
    ended = {"id": ROOT, "traceId": TRACE, "endTime": "2026-01-05T10:00:05.000Z"}
    trace = {"id": TRACE, "name": "shop", "sessionId": "s-9", "userId": "u42"}
    events = [
        event(1, "span-update", ended),
        event(2, "generation-create", call(1, SECOND)),
        event(3, "trace-create", trace),
        event(4, "generation-create", call(0, FIRST)),
        event(5, "span-create", root),
    ]
    return [
        orjson.dumps({"batch": events[:2], "metadata": {}}),
        orjson.dumps({"batch": events[2:]}),
    ]


def mlflow() -> list[bytes]:
    def b64(hexed: str) -> str:
        return base64.b64encode(bytes.fromhex(hexed)).decode()

    def made(own: str, parent: str | None, begin: int, **named: Any) -> dict[str, Any]:
        return {
            "trace_id": b64(TRACE), "span_id": b64(own), "parent_span_id": parent and b64(parent),
            "name": "get_order" if own == TOOL else "span", "events": [], "links": [],
            "start_time_unix_nano": START + begin * 10**9, "end_time_unix_nano": START + (begin + 1) * 10**9,
            "status": {"code": "STATUS_CODE_OK", "message": ""},
            "attributes": {f"mlflow.{key}": dumps(value) for key, value in named.items()},
        }  # fmt: skip

    def call(turn: int, own: str) -> dict[str, Any]:
        upto = 2 + 2 * turn
        answer = {
            "id": f"chatcmpl-{turn}", "object": "chat.completion", "model": MODEL,
            "choices": [{"index": 0, "finish_reason": "stop", "message": OPENAI_MESSAGES[upto]}],
        }  # fmt: skip
        return made(
            own, ROOT, 1 + 2 * turn, spanType="CHAT_MODEL", spanOutputs=answer,
            spanInputs={"model": "gpt-4o", "messages": OPENAI_MESSAGES[:upto], "tools": [OPENAI_TOOL]},
            **{"llm.model": MODEL,
               "chat.tokenUsage": {"input_tokens": USAGE[turn][0], "output_tokens": USAGE[turn][1]}},
        )  # fmt: skip

    info = {
        "trace_id": f"tr-{TRACE}",
        "state": "OK",
        "trace_metadata": {"mlflow.trace.session": "s-9"},
        "tags": {},
    }
    tool = made(TOOL, ROOT, 2, spanType="TOOL", spanOutputs=RESULT, spanInputs={"order_id": "A17"})
    spans = [made(ROOT, None, 0, spanType="AGENT"), call(0, FIRST), tool, call(1, SECOND)]
    return [orjson.dumps({"info": info, "data": {"spans": spans}})]


def langsmith() -> list[bytes]:
    def run(own: str, kind: str, begin: int, **more: Any) -> dict[str, Any]:
        return {
            "id": own, "trace_id": ROOT, "parent_run_id": None if own == ROOT else ROOT, "run_type": kind,
            "dotted_order": f"20260105T1000{begin:02}Z{own}", "name": "get_order" if kind == "tool" else kind,
            "start_time": f"2026-01-05T10:00:{begin:02}+00:00",
            "end_time": f"2026-01-05T10:00:{begin + 1:02}+00:00", "extra": {}, **more,
        }  # fmt: skip

    def call(turn: int, own: str) -> dict[str, Any]:
        upto = 2 + 2 * turn
        outputs = {
            "model": MODEL, "choices": [{"finish_reason": "stop", "message": OPENAI_MESSAGES[upto]}],
            "usage_metadata": {"input_tokens": USAGE[turn][0], "output_tokens": USAGE[turn][1]},
        }  # fmt: skip
        inputs = {"messages": OPENAI_MESSAGES[:upto], "tools": [OPENAI_TOOL]}
        return run(own, "llm", 1 + 2 * turn, inputs=inputs, outputs=outputs)

    root = run(ROOT, "chain", 0, inputs={"q": QUESTION}, outputs={"answer": ANSWER})
    tool = run(TOOL, "tool", 2, inputs={"input": {"order_id": "A17"}}, outputs={"output": RESULT})
    first, second = call(0, FIRST), call(1, SECOND)
    begun = {**first, "outputs": None, "end_time": None}
    patch = {key: first[key] for key in ("id", "trace_id", "dotted_order", "outputs", "end_time")}
    batch = {"post": [second, tool, begun, root], "patch": [patch]}
    return [orjson.dumps(batch)]


def vercel() -> list[bytes]:
    def content(message: dict[str, Any]) -> dict[str, Any]:
        if message["role"] == "tool":
            output = {"type": "text", "value": RESULT}
            part = {
                "type": "tool-result",
                "toolCallId": "call_9f",
                "toolName": "get_order",
                "output": output,
            }
            return {"role": "tool", "content": [part]}
        if message.get("tool_calls"):
            part = {
                "type": "tool-call",
                "toolCallId": "call_9f",
                "toolName": "get_order",
                "input": ARGUMENTS,
            }
            return {"role": "assistant", "content": [part]}
        if message["role"] == "user":
            return {"role": "user", "content": [{"type": "text", "text": message["content"]}]}
        return message

    def call(turn: int) -> dict[str, Any]:
        upto = 2 + 2 * turn
        calls = [{"toolCallId": "call_9f", "toolName": "get_order", "input": ARGUMENTS}]
        said = (
            {"ai.response.toolCalls": dumps(calls)} if turn == 0 else {"ai.response.text": ANSWER}
        )
        tool = {
            "type": "function",
            "name": "get_order",
            "description": "Finds an order.",
            "inputSchema": SCHEMA,
        }
        return {
            "ai.operationId": "ai.generateText.doGenerate",
            "ai.response.model": MODEL,
            "ai.usage.promptTokens": USAGE[turn][0],
            "ai.usage.completionTokens": USAGE[turn][1],
            "ai.prompt.messages": dumps([content(m) for m in OPENAI_MESSAGES[:upto]]),
            "ai.prompt.tools": [dumps(tool)],
            **said,
        }

    outer = {
        "ai.operationId": "ai.generateText",
        "ai.prompt": dumps({"prompt": QUESTION}),
        "ai.response.text": ANSWER,
    }
    tool = {
        "ai.operationId": "ai.toolCall",
        "ai.toolCall.name": "get_order",
        "ai.toolCall.id": "call_9f",
    }
    return spans_of(outer, call(0), {**tool, "ai.toolCall.result": RESULT}, call(1))


def google_adk() -> list[bytes]:
    def content(message: dict[str, Any]) -> dict[str, Any]:
        if message["role"] == "tool":
            answer = {"id": "call_9f", "name": "get_order", "response": RESULT}
            return {"role": "user", "parts": [{"function_response": answer}]}
        if message.get("tool_calls"):
            call = {"id": "call_9f", "name": "get_order", "args": {"order_id": "A17"}}
            return {"role": "model", "parts": [{"function_call": call}]}
        role = "model" if message["role"] == "assistant" else "user"
        return {"role": role, "parts": [{"text": message["content"]}]}

    declared = {"name": "get_order", "description": "Finds an order.", "parameters": SCHEMA}

    def call(turn: int) -> dict[str, Any]:
        upto = 2 + 2 * turn
        config = {"system_instruction": SYSTEM, "tools": [{"function_declarations": [declared]}]}
        asked = {
            "model": MODEL,
            "config": config,
            "contents": [content(m) for m in OPENAI_MESSAGES[1:upto]],
        }
        return {
            "gen_ai.system": "gcp.vertex.agent",
            "gen_ai.request.model": MODEL,
            "gen_ai.usage.input_tokens": USAGE[turn][0],
            "gen_ai.usage.output_tokens": USAGE[turn][1],
            "gcp.vertex.agent.llm_request": dumps(asked),
            "gcp.vertex.agent.llm_response": dumps({"content": content(OPENAI_MESSAGES[upto])}),
        }

    tool = {
        "gen_ai.tool.name": "get_order", "gen_ai.tool.call.id": "call_9f",
        "gcp.vertex.agent.tool_call_args": ARGUMENTS, "gcp.vertex.agent.tool_response": RESULT,
    }  # fmt: skip
    return spans_of({"gen_ai.operation.name": "invoke_agent"}, call(0), tool, call(1))


def pydantic_ai() -> list[bytes]:
    """Only the run's span: content capture of the model's spans was off."""
    everything = [genai_parts(message) for message in OPENAI_MESSAGES]
    root = {
        "agent_name": "shop", "model_name": MODEL, "gen_ai.request.model": MODEL,
        "pydantic_ai.all_messages": dumps(everything),
        "gen_ai.tool.definitions": dumps([OPENAI_TOOL]),
    }  # fmt: skip
    return spans_of(root, {}, {}, {})


def openai_chat() -> list[bytes]:
    return [orjson.dumps({
        "id": "req-1", "conversation_id": "conv-42", "model": MODEL, "tools": [OPENAI_TOOL],
        "messages": OPENAI_MESSAGES[:4], "usage": {"prompt_tokens": 90, "completion_tokens": 6},
        "choices": [{"index": 0, "finish_reason": "stop", "message": OPENAI_MESSAGES[4]}],
    })]  # fmt: skip


def openai_responses() -> list[bytes]:
    call = {
        "type": "function_call",
        "id": "fc_1",
        "call_id": "call_9f",
        "name": "get_order",
        "arguments": ARGUMENTS,
    }
    result = {"type": "function_call_output", "call_id": "call_9f", "output": RESULT}
    said = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": ANSWER}],
    }
    flat = {"type": "function", **OPENAI_TOOL["function"]}  # type: ignore[dict-item]
    response = {
        "id": "resp_1", "object": "response", "created_at": 1760000000, "model": MODEL, "status": "completed",
        "instructions": SYSTEM, "tools": [flat], "usage": {"input_tokens": 90, "output_tokens": 6},
        "output": [{"type": "reasoning", "id": "rs_1", "summary": []}, call, result, said],
    }  # fmt: skip
    request = {"input": [{"role": "user", "content": QUESTION}]}
    return [orjson.dumps({"request": request, "response": response})]


def anthropic() -> list[bytes]:
    use = {"type": "tool_use", "id": "call_9f", "name": "get_order", "input": {"order_id": "A17"}}
    result = {
        "type": "tool_result",
        "tool_use_id": "call_9f",
        "content": [{"type": "text", "text": RESULT}],
    }
    usage = {
        "input_tokens": 30,
        "cache_read_input_tokens": 60,
        "cache_creation_input_tokens": 0,
        "output_tokens": 6,
    }
    return [orjson.dumps({
        "system": SYSTEM,
        "tools": [{"name": "get_order", "description": "Finds an order.", "input_schema": SCHEMA}],
        "messages": [
            {"role": "user", "content": QUESTION},
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm."}, use]},
            {"role": "user", "content": [result]},
        ],
        "response": {
            "id": "msg_1", "type": "message", "role": "assistant", "model": MODEL, "stop_reason": "end_turn",
            "content": [{"type": "text", "text": ANSWER}], "usage": usage,
        },
    })]  # fmt: skip


def sharegpt() -> list[bytes]:
    turns = [
        {"from": "human", "value": QUESTION},
        {
            "from": "function_call",
            "value": '{"name": "get_order", "arguments": {"order_id":"A17"}}',
        },
        {"from": "observation", "value": RESULT},
        {"from": "gpt", "value": ANSWER},
    ]
    return [
        orjson.dumps(
            {"conversations": turns, "system": SYSTEM, "tools": dumps([OPENAI_TOOL["function"]])}
        )
    ]


DIALECTS: dict[str, Callable[[], list[bytes]]] = {
    "otel-genai (from v1.37)": genai_c,
    "otel-genai (v1.28 to v1.36, logs)": genai_b_logs,
    "otel-genai (to v1.27, span events)": genai_a,
    "openinference": openinference,
    "openllmetry": openllmetry,
    "langfuse": langfuse_otlp,
    "langfuse (batch)": langfuse_batch,
    "mlflow": mlflow,
    "langsmith": langsmith,
    "vercel-ai": vercel,
    "google-adk": google_adk,
    "pydantic-ai": pydantic_ai,
    "chat": openai_chat,
    "openai-responses": openai_responses,
    "anthropic": anthropic,
    "sharegpt": sharegpt,
}
"""Dialect that the trace must name (and a remark) → its records."""
