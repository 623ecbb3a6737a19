"""A taskset package for verifiers (prime-rl): the tasks as JSONL, and the module that reads them.

Made for verifiers 0.4 (`verifiers.v1`). The package needs nothing of ours: it scores a rollout's
last assistant message by the calls that are wanted.
"""

from pydantic import JsonValue

from tracemill.curation.exports.openai import chat_message
from tracemill.curation.task import Task
from tracemill.ingest.trace import Message

Line = dict[str, JsonValue]

PROJECT = """[project]
name = "tracemill-tasks"
version = "0.1.0"
description = "Failures of production as tasks."
requires-python = ">=3.11"
dependencies = ["verifiers>=0.4,<0.5"]

[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[tool.hatch.build]
include = ["tracemill_tasks.py", "tasks.jsonl"]
"""

MODULE = '''"""Failures of production as tasks for verifiers: one decision each."""

import json
from pathlib import Path

import verifiers.v1 as vf

__all__ = ["Decisions"]


class Decision(vf.TaskData):
    """A prompt and the calls that are wanted after it."""

    wanted: list[dict]


class DecisionTask(vf.Task[Decision]):
    """Scored 1 if the last assistant message makes the wanted calls, else 0."""

    @property
    def key(self) -> str:
        return self.data.name

    @vf.reward(weight=1.0)
    async def right_calls(self, trace: vf.Trace) -> float:
        said = [node.message for node in trace.nodes if node.sampled]
        made = [(c.name, _parsed(c.arguments)) for c in (said[-1].tool_calls or [])] if said else []
        return float(made == [(call["name"], call["arguments"]) for call in self.data.wanted])


class DecisionsConfig(vf.TasksetConfig):
    path: str = str(Path(__file__).with_name("tasks.jsonl"))


class Decisions(vf.Taskset[DecisionTask, DecisionsConfig]):
    def load(self):
        for index, line in enumerate(Path(self.config.path).read_text().splitlines()):
            row = json.loads(line)
            data = Decision(
                idx=index, name=row["name"], prompt=row["prompt"], wanted=row["wanted"]
            )
            yield DecisionTask(data, self.config.task)


def _parsed(arguments: str):
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments
'''


def task_line(task: Task) -> Line:
    """Return the task as the package's module reads it."""
    prompt: list[JsonValue] = [_message(message) for message in task.prompt]
    wanted: list[JsonValue] = [
        {"name": call.name, "arguments": call.parsed()} for call in task.reference.tool_calls
    ]
    return {"name": task.id, "slice": task.slice, "prompt": prompt, "wanted": wanted}


def _message(message: Message) -> Line:
    """The message in OpenAI's form but for its calls, which verifiers takes flat."""
    line = chat_message(message)
    if message.tool_calls:
        line["tool_calls"] = [
            {"id": call.id, "name": call.name, "arguments": call.arguments}
            for call in message.tool_calls
        ]
    return line
