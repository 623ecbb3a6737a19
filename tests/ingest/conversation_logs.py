"""The conversation as logs of one provider's messages write it, beside fields of the application."""

from typing import Any

import orjson

from tests.ingest.conversation import (
    AGENT,
    ANSWER,
    ARGUMENTS,
    FINISH,
    MODEL,
    OPENAI_MESSAGES,
    OPENAI_TOOL,
    QUESTION,
    RESULT,
    SCHEMA,
    SESSION,
    SYSTEM,
    TENANT,
    TRACE,
    USAGE,
    USER,
    dumps,
    iso,
)

APPLICATION = {
    "trace_id": TRACE,
    "session_id": SESSION,
    "user_id": USER,
    "tenant_id": TENANT,
    "agent": AGENT,
    "started_at": iso(0),
    "ended_at": iso(5),
}
"""What applications add to the provider's own; none of it has a set place."""


def openai_chat() -> list[bytes]:
    return [orjson.dumps({
        **APPLICATION, "id": "req-1", "model": MODEL, "tools": [OPENAI_TOOL],
        "messages": OPENAI_MESSAGES[:4],
        "usage": {"prompt_tokens": USAGE[1][0], "completion_tokens": USAGE[1][1]},
        "choices": [{"index": 0, "finish_reason": "stop", "message": OPENAI_MESSAGES[4]}],
    })]  # fmt: skip


def mapped() -> list[bytes]:
    """A team's own JSON; `OWN_MAPPING` says where things are."""
    return [orjson.dumps({
        "run": {"nr": TRACE, "chat": SESSION, "bot": AGENT, "llm": MODEL, "from": iso(0), "to": iso(5)},
        "by": [USER, TENANT], "turns": OPENAI_MESSAGES, "functions": [OPENAI_TOOL],
    })]  # fmt: skip


OWN_MAPPING: dict[str, Any] = {
    "messages": "turns", "tools": "functions", "id": "run.nr", "session": "run.chat",
    "agent": "run.bot", "model": "run.llm", "started_at": "run.from", "ended_at": "run.to",
    "user": "by.0", "tenant": "by.1",
}  # fmt: skip


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
    flat = {"type": "function", **OPENAI_TOOL["function"]}
    response = {
        "id": "resp_1", "object": "response", "created_at": 1760000003, "model": MODEL, "status": "completed",
        "instructions": SYSTEM, "tools": [flat],
        "usage": {"input_tokens": USAGE[1][0], "output_tokens": USAGE[1][1]},
        "output": [{"type": "reasoning", "id": "rs_1", "summary": []}, call, result, said],
    }  # fmt: skip
    request = {"input": [{"role": "user", "content": QUESTION}]}
    return [orjson.dumps({**APPLICATION, "request": request, "response": response})]


def anthropic() -> list[bytes]:
    use = {"type": "tool_use", "id": "call_9f", "name": "get_order", "input": {"order_id": "A17"}}
    result = {
        "type": "tool_result",
        "tool_use_id": "call_9f",
        "is_error": False,
        "content": [{"type": "text", "text": RESULT}],
    }
    usage = {
        "input_tokens": 30,
        "cache_read_input_tokens": 60,
        "cache_creation_input_tokens": 0,
        "output_tokens": 6,
    }
    return [orjson.dumps({
        **APPLICATION,
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
    """As data sets are written: there is no application around it."""
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


def verifiers() -> list[bytes]:
    """A rollout of verifiers: the agent's messages as a graph, each call beside its node."""
    nodes = [
        {"message": {key: value for key, value in message.items() if value is not None},
         "parent": index - 1 if index else None}
        for index, message in enumerate(OPENAI_MESSAGES)
    ]  # fmt: skip
    calls = [
        {"node": 2 + 2 * turn, "model": MODEL, "finish_reason": FINISH[turn],
         "usage": {"prompt_tokens": used, "completion_tokens": made}}
        for turn, (used, made) in enumerate(USAGE)
    ]  # fmt: skip
    trace = {
        "id": TRACE, "nodes": nodes, "calls": calls, "tools": [OPENAI_TOOL["function"]], "ok": True,
        "agent": {"name": AGENT}, "timing": {"start": 1760000000.0, "agent": {"end": 1760000005.0}},
    }  # fmt: skip
    return [orjson.dumps({"id": "e1", "env": {"id": "shop"}, "ok": True, "traces": [trace]})]


def nemo_gym() -> list[bytes]:
    """A rollout of NeMo Gym: the response beside the request that made it."""
    call = {
        "type": "function_call",
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
    asked = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": QUESTION}]
    flat = {"type": "function", **OPENAI_TOOL["function"]}
    usage = {"input_tokens": USAGE[1][0], "output_tokens": USAGE[1][1]}
    response = {
        "id": "resp_1", "object": "response", "created_at": 1760000000, "model": MODEL,
        "output": [call, result, said], "usage": usage, "tools": [flat], "status": "completed",
    }  # fmt: skip
    params = {"input": asked, "tools": [flat]}
    rollout = {"responses_create_params": params, "response": response, "reward": 1.0}
    return [orjson.dumps({**rollout, "agent_ref": {"name": AGENT}})]
