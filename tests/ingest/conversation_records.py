"""The conversation as batches and exports of spans write it, in JSON of their own."""

import base64
from typing import Any
from uuid import UUID

import orjson

from tests.ingest.conversation import (
    AGENT,
    ANSWER,
    COST_USD,
    FINISH,
    FIRST,
    MODEL,
    OPENAI_MESSAGES,
    OPENAI_TOOL,
    PLACES,
    QUESTION,
    RESULT,
    ROOT,
    SECOND,
    SESSION,
    TENANT,
    TOOL,
    TRACE,
    USAGE,
    USER,
    dumps,
    iso,
)
from tests.ingest.samples import START

TIMES = {own: (begin, end) for own, _, begin, end in PLACES}


def langfuse_trace() -> dict[str, Any]:
    metadata = {"tenant_id": TENANT}
    return {"id": TRACE, "name": AGENT, "sessionId": SESSION, "userId": USER, "metadata": metadata}


def langfuse_observation(own: str, **more: Any) -> dict[str, Any]:
    begin, end = TIMES[own]
    parent = {} if own == ROOT else {"parentObservationId": ROOT}
    times = {"startTime": iso(begin), "endTime": iso(end)}
    return {"id": own, "traceId": TRACE, **parent, **times, **more}


def langfuse_call(turn: int) -> dict[str, Any]:
    upto = 2 + 2 * turn
    return langfuse_observation(
        (FIRST, SECOND)[turn], name="llm", model=MODEL,
        input={"messages": OPENAI_MESSAGES[:upto], "tools": [OPENAI_TOOL]},
        output=OPENAI_MESSAGES[upto],
        usageDetails={"input": USAGE[turn][0], "output": USAGE[turn][1]},
        costDetails={"total": COST_USD[turn]},
    )  # fmt: skip


def langfuse_batch() -> list[bytes]:
    def event(number: int, kind: str, body: dict[str, Any]) -> dict[str, Any]:
        return {"id": f"ev-{number}", "type": kind, "timestamp": iso(6), "body": body}

    root = langfuse_observation(ROOT, name="turn")
    ended = {"id": ROOT, "traceId": TRACE, "endTime": root.pop("endTime")}
    tool = langfuse_observation(TOOL, name="get_order", output=RESULT)
    events = [
        event(1, "span-update", ended),
        event(2, "generation-create", langfuse_call(1)),
        event(3, "trace-create", langfuse_trace()),
        event(4, "generation-create", langfuse_call(0)),
        event(5, "tool-create", tool),
        event(6, "agent-create", root),
    ]
    return [
        orjson.dumps({"batch": events[:2], "metadata": {}}),
        orjson.dumps({"batch": events[2:]}),
    ]


def langfuse_export() -> list[bytes]:
    observations = [
        langfuse_observation(ROOT, name="turn", type="AGENT"),
        {**langfuse_call(0), "type": "GENERATION"},
        langfuse_observation(TOOL, name="get_order", type="TOOL", output=RESULT),
        {**langfuse_call(1), "type": "GENERATION"},
    ]
    return [orjson.dumps({"trace": langfuse_trace(), "observations": observations})]


def mlflow() -> list[bytes]:
    def b64(hexed: str) -> str:
        return base64.b64encode(bytes.fromhex(hexed)).decode()

    def made(own: str, **named: Any) -> dict[str, Any]:
        begin, end = TIMES[own]
        return {
            "trace_id": b64(TRACE), "span_id": b64(own), "parent_span_id": None if own == ROOT else b64(ROOT),
            "name": "get_order" if own == TOOL else "span", "events": [], "links": [],
            "start_time_unix_nano": START + begin * 10**9, "end_time_unix_nano": START + end * 10**9,
            "status": {"code": "STATUS_CODE_OK", "message": ""},
            "attributes": {f"mlflow.{key}": dumps(value) for key, value in named.items()},
        }  # fmt: skip

    def call(turn: int) -> dict[str, Any]:
        upto = 2 + 2 * turn
        answer = {
            "id": f"chatcmpl-{turn}", "object": "chat.completion", "model": MODEL,
            "choices": [{"index": 0, "finish_reason": FINISH[turn], "message": OPENAI_MESSAGES[upto]}],
        }  # fmt: skip
        return made(
            (FIRST, SECOND)[turn], spanType="CHAT_MODEL", spanOutputs=answer,
            spanInputs={"model": "gpt-4o", "messages": OPENAI_MESSAGES[:upto], "tools": [OPENAI_TOOL]},
            **{"llm.model": MODEL, "llm.cost": {"total_cost": COST_USD[turn]},
               "chat.tokenUsage": {"input_tokens": USAGE[turn][0], "output_tokens": USAGE[turn][1]}},
        )  # fmt: skip

    info = {
        "trace_id": f"tr-{TRACE}",
        "state": "OK",
        "trace_metadata": {"mlflow.trace.session": SESSION, "mlflow.trace.user": USER},
        "tags": {"mlflow.traceName": AGENT, "tenant_id": TENANT},
    }
    tool = made(TOOL, spanType="TOOL", spanOutputs=RESULT, spanInputs={"order_id": "A17"})
    spans = [made(ROOT, spanType="AGENT"), call(0), tool, call(1)]
    return [orjson.dumps({"info": info, "data": {"spans": spans}})]


def langsmith() -> list[bytes]:
    """Ids are UUIDs; the root's is the trace's."""

    def uuid(own: str) -> str:
        return str(UUID(TRACE if own == ROOT else own * 2))

    def run(own: str, kind: str, name: str, **more: Any) -> dict[str, Any]:
        begin, end = TIMES[own]
        return {
            "id": uuid(own), "trace_id": uuid(ROOT), "run_type": kind, "name": name,
            "parent_run_id": None if own == ROOT else uuid(ROOT),
            "dotted_order": f"20251009T08532{begin}Z{uuid(own)}",
            "start_time": iso(begin), "end_time": iso(end), "extra": {}, **more,
        }  # fmt: skip

    def call(turn: int) -> dict[str, Any]:
        upto = 2 + 2 * turn
        outputs = {
            "model": MODEL,
            "choices": [{"finish_reason": FINISH[turn], "message": OPENAI_MESSAGES[upto]}],
            "usage_metadata": {"input_tokens": USAGE[turn][0], "output_tokens": USAGE[turn][1]},
        }
        inputs = {"messages": OPENAI_MESSAGES[:upto], "tools": [OPENAI_TOOL]}
        return run((FIRST, SECOND)[turn], "llm", "ChatOpenAI", inputs=inputs, outputs=outputs)

    who = {"thread_id": SESSION, "user_id": USER, "tenant_id": TENANT}
    root = run(
        ROOT, "chain", AGENT, session_name="prod", extra={"metadata": who},
        inputs={"q": QUESTION}, outputs={"answer": ANSWER},
    )  # fmt: skip
    tool = run(
        TOOL, "tool", "get_order", extra={"tool_call_id": "call_9f"},
        inputs={"input": {"order_id": "A17"}}, outputs={"output": RESULT},
    )  # fmt: skip
    first, second = call(0), call(1)
    begun = {**first, "outputs": None, "end_time": None}
    patch = {key: first[key] for key in ("id", "trace_id", "dotted_order", "outputs", "end_time")}
    return [orjson.dumps({"post": [second, tool, begun, root], "patch": [patch]})]
