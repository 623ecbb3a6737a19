"""The conversation as other conventions of OTLP attributes write it."""

from typing import Any

from tests.ingest.conversation import (
    AGENT,
    ARGUMENTS,
    COST_USD,
    FINISH,
    MODEL,
    OPENAI_MESSAGES,
    OPENAI_TOOL,
    RESULT,
    SCHEMA,
    SESSION,
    TENANT,
    USAGE,
    USER,
    dumps,
    spans_of,
)
from tests.ingest.conversation_genai import WHO, generation_c


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
            "llm.cost.total": COST_USD[turn],
            "llm.finish_reason": FINISH[turn],
            "llm.tools.0.tool.json_schema": dumps(OPENAI_TOOL),
            **flat(OPENAI_MESSAGES[:upto], "input"),
            **flat([OPENAI_MESSAGES[upto]], "output"),
        }

    agent = {
        "openinference.span.kind": "AGENT",
        "agent.name": AGENT,
        "session.id": SESSION,
        **WHO,
    }
    tool = {"openinference.span.kind": "TOOL", "tool.name": "get_order", "tool.id": "call_9f"}
    return spans_of(agent, call(0), tool, call(1))


WORKFLOW = {
    "traceloop.span.kind": "workflow",
    "traceloop.entity.name": AGENT,
    "traceloop.workflow.name": AGENT,
    "traceloop.association.properties.session_id": SESSION,
    "traceloop.association.properties.user_id": USER,
    "traceloop.association.properties.tenant_id": TENANT,
}
TOOL_ENTITY = {
    "traceloop.span.kind": "tool",
    "traceloop.entity.name": "get_order",
    "traceloop.entity.output": RESULT,
}


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
            "gen_ai.completion.0.finish_reason": FINISH[turn],
        }

    return spans_of(WORKFLOW, call(0), TOOL_ENTITY, call(1))


def openllmetry_new() -> list[bytes]:
    """From 0.55 on the model calls are written in the GenAI conventions."""
    return spans_of(WORKFLOW, generation_c(0), TOOL_ENTITY, generation_c(1))


def langfuse_otlp() -> list[bytes]:
    def call(turn: int) -> dict[str, Any]:
        upto = 2 + 2 * turn
        return {
            "langfuse.observation.type": "generation",
            "langfuse.observation.model.name": MODEL,
            "langfuse.observation.usage_details": dumps(
                {"input": USAGE[turn][0], "output": USAGE[turn][1]}
            ),
            "langfuse.observation.cost_details": dumps({"total": COST_USD[turn]}),
            "langfuse.observation.input": dumps(
                {"messages": OPENAI_MESSAGES[:upto], "tools": [OPENAI_TOOL]}
            ),
            "langfuse.observation.output": dumps(OPENAI_MESSAGES[upto]),
        }

    agent = {
        "langfuse.observation.type": "agent",
        "langfuse.trace.name": AGENT,
        "session.id": SESSION,
        "user.id": USER,
        "langfuse.trace.metadata.tenant_id": TENANT,
    }
    tool = {"langfuse.observation.type": "tool", "langfuse.observation.output": RESULT}
    return spans_of(agent, call(0), {**tool, "gen_ai.tool.name": "get_order"}, call(1))


def langsmith_otlp() -> list[bytes]:
    """LangSmith's own export to OTel."""

    def call(turn: int) -> dict[str, Any]:
        upto = 2 + 2 * turn
        answer = {"choices": [{"finish_reason": FINISH[turn], "message": OPENAI_MESSAGES[upto]}]}
        return {
            "langsmith.span.kind": "llm",
            "gen_ai.system": "openai",
            "gen_ai.request.model": "gpt-4o",
            "gen_ai.response.model": MODEL,
            "gen_ai.usage.input_tokens": USAGE[turn][0],
            "gen_ai.usage.output_tokens": USAGE[turn][1],
            "gen_ai.response.finish_reasons": [FINISH[turn]],
            "gen_ai.tool.definitions": dumps([OPENAI_TOOL]),
            "gen_ai.prompt": dumps({"messages": OPENAI_MESSAGES[:upto]}),
            "gen_ai.completion": dumps(answer),
            "langsmith.trace.name": "ChatOpenAI",
        }

    root = {
        "langsmith.span.kind": "chain",
        "langsmith.trace.name": AGENT,
        "langsmith.trace.session_name": "prod",
        "langsmith.trace.session_id": "e0b94d6f-0000-4000-8000-000000000001",  # the project's
        "langsmith.metadata.thread_id": SESSION,
        "langsmith.metadata.user_id": USER,
        "langsmith.metadata.tenant_id": TENANT,
    }
    tool = {
        "langsmith.span.kind": "tool",
        "langsmith.trace.name": "get_order",
        "gen_ai.tool.name": "get_order",
        "gen_ai.tool.call.id": "call_9f",
        "gen_ai.prompt": dumps({"input": {"order_id": "A17"}}),
        "gen_ai.completion": dumps({"output": RESULT}),
    }
    return spans_of(root, call(0), tool, call(1))
