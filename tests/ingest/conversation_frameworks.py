"""The conversation as frameworks with attributes of their own write it."""

from typing import Any

from tests.ingest.conversation import (
    AGENT,
    ANSWER,
    ARGUMENTS,
    MODEL,
    OPENAI_MESSAGES,
    OPENAI_TOOL,
    QUESTION,
    RESULT,
    SCHEMA,
    SESSION,
    SYSTEM,
    TENANT,
    USAGE,
    USER,
    dumps,
    genai_parts,
    spans_of,
)
from tests.ingest.conversation_genai import generation_c


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
            "ai.response.finishReason": ("tool-calls", "stop")[turn],
            "ai.usage.promptTokens": USAGE[turn][0],
            "ai.usage.completionTokens": USAGE[turn][1],
            "ai.prompt.messages": dumps([content(m) for m in OPENAI_MESSAGES[:upto]]),
            "ai.prompt.tools": [dumps(tool)],
            **said,
        }

    outer = {
        "ai.operationId": "ai.generateText",
        "ai.telemetry.functionId": AGENT,
        "ai.telemetry.metadata.sessionId": SESSION,
        "ai.telemetry.metadata.userId": USER,
        "ai.telemetry.metadata.tenantId": TENANT,
        "ai.usage.promptTokens": 151,
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
        answer = {"content": content(OPENAI_MESSAGES[upto]), "finish_reason": "STOP"}
        return {
            "gen_ai.system": "gcp.vertex.agent",
            "gen_ai.request.model": MODEL,
            "gen_ai.usage.input_tokens": USAGE[turn][0],
            "gen_ai.usage.output_tokens": USAGE[turn][1],
            "gcp.vertex.agent.session_id": SESSION,
            "gcp.vertex.agent.llm_request": dumps(asked),
            "gcp.vertex.agent.llm_response": dumps(answer),
        }

    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": AGENT}
    tool = {
        "gen_ai.tool.name": "get_order", "gen_ai.tool.call.id": "call_9f",
        "gcp.vertex.agent.tool_call_args": ARGUMENTS, "gcp.vertex.agent.tool_response": RESULT,
    }  # fmt: skip
    return spans_of(agent, call(0), tool, call(1))


RUN = {
    "agent_name": AGENT,
    "model_name": MODEL,
    "gen_ai.conversation.id": SESSION,
    "user.id": USER,
    "tenant.id": TENANT,
    "gen_ai.request.model": MODEL,
    "gen_ai.usage.input_tokens": 151,
    "gen_ai.usage.output_tokens": 21,
    "pydantic_ai.all_messages": dumps([genai_parts(message) for message in OPENAI_MESSAGES]),
    "gen_ai.tool.definitions": dumps([OPENAI_TOOL]),
}


def pydantic_ai() -> list[bytes]:
    """The run's span, the model's in the GenAI conventions, and the tool's in pydantic-ai's own."""
    tool = {
        "gen_ai.tool.name": "get_order", "gen_ai.tool.call.id": "call_9f",
        "tool_arguments": ARGUMENTS, "tool_response": RESULT,
    }  # fmt: skip
    return spans_of(RUN, generation_c(0), tool, generation_c(1))


def pydantic_ai_run() -> list[bytes]:
    """Only the run's span came: those of the model were sampled away."""
    return spans_of(RUN, {}, {}, {})
