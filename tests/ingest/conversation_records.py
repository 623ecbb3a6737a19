"""The conversation as batches and logs write it: one record is (nearly) all of it."""

import base64
from typing import Any

import orjson

from tests.ingest.conversation import (
    ANSWER,
    ARGUMENTS,
    FIRST,
    MODEL,
    OPENAI_MESSAGES,
    OPENAI_TOOL,
    QUESTION,
    RESULT,
    ROOT,
    SCHEMA,
    SECOND,
    SYSTEM,
    TOOL,
    TRACE,
    USAGE,
    dumps,
)
from tests.ingest.samples import START


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
