"""What the recordings of tau-bench, tau2-bench and AgentDojo say."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from tests.ingest.reading import redactor
from tests.ingest.told import Told, called, moment, openai, said, texts


def tau_bench(folder: Path) -> Iterator[Told]:
    for row in _rows(folder, "tau-bench/**/*.json"):
        yield _tau(row, row["reward"])


def tau_resilience(folder: Path) -> Iterator[Told]:
    for row in _rows(folder, "tau-bench-pr68-resilience/**/*.json"):
        yield _tau(row, row["info"]["reward_info"]["components"]["base_success"])


def _rows(folder: Path, pattern: str) -> Iterator[Any]:
    for path in sorted(folder.glob(pattern)):
        yield from orjson.loads(path.read_bytes())


def _tau(row: Any, reward: float) -> Told:
    task = row["info"]["task"]
    return {
        "id": f"{row['task_id']}-{row['trial']}",
        "task": str(row["task_id"]),
        "user": redactor().pseudonym(task["user_id"]),
        "reward": reward,
        "expected_calls": [[action["name"], action["kwargs"]] for action in task["actions"]],
        "messages": [_tau_message(message) for message in row["traj"]],
    }


def _tau_message(message: Any) -> Told:
    """Results name their tool; one id may be given to several calls of a model."""
    read = openai(message)
    return {**read, "name": message["name"]} if message["role"] == "tool" else read


def tau2_bench(folder: Path) -> Iterator[Told]:
    for path in sorted(folder.glob("tau2-bench/**/*trials.json")):
        run = orjson.loads(path.read_bytes())
        for simulation in run["simulations"]:
            messages = simulation["messages"]
            yield {
                "model": run["info"]["agent_info"]["llm"],
                "id": simulation["id"],
                "task": simulation["task_id"],
                "reward": simulation["reward_info"]["reward"],
                "label": simulation["termination_reason"],
                "started_at": moment(simulation["start_time"]),
                "ended_at": moment(simulation["end_time"]),
                "messages": [_tau2_message(message) for message in messages],
                "steps": {
                    index: {
                        "prompt_tokens": message["usage"]["prompt_tokens"],
                        "completion_tokens": message["usage"]["completion_tokens"],
                        "cost_usd": message["cost"],
                        "ended_at": moment(message["timestamp"]),
                    }
                    for index, message in enumerate(messages)
                    if message["role"] == "assistant" and message["usage"]
                },
            }


def _tau2_message(message: Any) -> Told:
    if message["role"] == "tool":
        given = {"call_id": message["id"], "is_error": message["error"]}
        return said("tool", message["content"], **given)
    calls = [called(c["name"], c["arguments"], c["id"]) for c in message["tool_calls"] or ()]
    return said(message["role"], message["content"], *calls)


def agentdojo(folder: Path) -> Iterator[Told]:
    for path in sorted(folder.glob("agentdojo/runs/**/*.json")):
        run = orjson.loads(path.read_bytes())
        yield {
            "task": run["user_task_id"],
            "model": run["pipeline_name"],
            "reward": float(run["utility"]),
            "error": run["error"],
            "messages": _agentdojo_messages(run["messages"]),
        }


def _agentdojo_messages(messages: list[Any]) -> list[Told]:
    """Many calls have no id: results come in the order of the calls.

    A tool's failure stands beside an empty content; the agent was given its text instead.
    """
    told: list[Told] = []
    waiting: list[list[int]] = []
    for index, message in enumerate(messages):
        content = texts(message["content"])
        if message["role"] != "tool":
            calls = [
                called(call["function"], call["args"], call["id"])
                for call in message.get("tool_calls") or ()
            ]
            waiting = [[index, number] for number in range(len(calls))] or waiting
            told.append(said(message["role"], content, *calls))
            continue
        failed = message["error"]
        given = {"answers": waiting.pop(0), "is_error": True if failed else None}
        told.append(said("tool", failed or content, **given))
    return told


def intercode(folder: Path) -> Iterator[Told]:
    """Actions and observations lie in lists side by side; the last reward may be below the best."""
    for path in sorted(folder.glob("intercode-python/**/*.json")):
        for episode in orjson.loads(path.read_bytes()).values():
            turns = episode["turn_history"]
            messages = [said("user", episode["query"])]
            for action, seen in zip(turns["actions"], turns["observations"], strict=True):
                messages.append(said("assistant", None, called("python", {"code": action})))
                given = {"answers": [len(messages) - 1, 0], "is_error": None}
                messages.append(said("tool", seen, **given))
            yield {
                "task": str(episode["task_id"]),
                "reward": max(turns["rewards"]),
                "messages": messages,
            }
