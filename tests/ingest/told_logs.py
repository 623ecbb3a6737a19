"""What the recordings of NeMo Gym and OpenHands say: logs of a provider's own messages."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from tests.ingest.told import Told, called, openai, openai_tools, said, texts, tool_of


def nemo_gym(folder: Path) -> Iterator[Told]:
    for path in sorted(folder.glob("nemo-gym-rollouts/**/*.jsonl")):
        for line in path.read_bytes().splitlines():
            yield _rollout(orjson.loads(line))


def _rollout(row: Any) -> Told:
    asked, response = row["responses_create_params"], row["response"]
    messages: list[Told] = []
    for item in [*(asked.get("input") or []), *response["output"]]:
        _take(item, messages)
    offered = asked.get("tools") or response["tools"]
    tools = [tool_of(tool) for tool in offered if tool["type"] == "function"]
    told: Told = {
        "model": response["model"],
        "reward": min(1.0, max(0.0, row["reward"])),
        "error": None,
        "started_at": datetime.fromtimestamp(response["created_at"], UTC),
        "tools": tools,
        "messages": messages,
    }
    if agent := (row.get("agent_ref") or {}).get("name"):
        told["agent"] = agent
    if task := (asked.get("metadata") or {}).get("instance_id") or row.get("id"):
        told["task"] = task
    if usage := response.get("usage"):
        last = max(i for i, message in enumerate(messages) if message["role"] == "assistant")
        counted = {
            "prompt_tokens": usage["input_tokens"],
            "completion_tokens": usage["output_tokens"],
        }
        told["steps"] = {last: counted}
    return told


def _take(item: Any, messages: list[Told]) -> None:
    """Calls belong to the turn in which the assistant spoke, or called, before them."""
    match item["type"]:
        case "message":
            messages.append(said(item["role"], texts(item["content"])))
        case "function_call":
            if not messages or messages[-1]["role"] != "assistant":
                messages.append(said("assistant", None))
            messages[-1]["calls"].append(called(item["name"], item["arguments"], item["call_id"]))
        case "function_call_output":
            messages.append(said("tool", item["output"], call_id=item["call_id"], is_error=None))
        case kind:
            assert kind == "reasoning"


def openhands(folder: Path) -> Iterator[Told]:
    for path in sorted(folder.glob("openhands-sdk-llm-logs/**/llm_data/**/*.json")):
        log = orjson.loads(path.read_bytes())
        if isinstance(log, list):
            yield {"messages": [openai(message) for message in log]}
            continue
        response = log["response"]
        usage, choice = response["usage"], response["choices"][0]
        yield {
            "model": response["model"],
            "tools": openai_tools(log["tools"]),
            "started_at": datetime.fromtimestamp(log["timestamp"], UTC),
            "messages": [openai(message) for message in (*log["messages"], choice["message"])],
            "steps": {
                len(log["messages"]): {
                    "prompt_tokens": usage["prompt_tokens"],
                    "completion_tokens": usage["completion_tokens"],
                    "cost_usd": log["cost"],
                    "finish_reason": {"tool_calls": "tool"}.get(
                        choice["finish_reason"], choice["finish_reason"]
                    ),
                }
            },
        }
