"""A taskset package for verifiers (prime-rl): the tasks as JSONL, and the module that reads them.

Made for verifiers 0.4 (`verifiers.v1`). The package needs nothing of ours: it scores a rollout's
last assistant message by the calls that are wanted and by what an answer in words must say.
"""

from pydantic import JsonValue

from tracemill.curation.exports.openai import chat_message
from tracemill.curation.task import (
    AnswerCheck,
    Check,
    EnvironmentCheck,
    FinalAnswerCheck,
    LimitCheck,
    NoErrorCheck,
    SchemaCheck,
    Task,
    ToolCallCheck,
)
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
import re
from pathlib import Path

import verifiers.v1 as vf

__all__ = ["Decisions"]


class Decision(vf.TaskData):
    """A prompt, the calls that are wanted after it, and what its answer must say."""

    wanted: list[dict]
    answers: list[dict]


class DecisionTask(vf.Task[Decision]):
    """Scored 1 if the last assistant message is what is wanted, else 0."""

    @property
    def key(self) -> str:
        return self.data.name

    @vf.reward(weight=1.0)
    async def right_decision(self, trace: vf.Trace) -> float:
        said = [node.message for node in trace.nodes if node.sampled]
        if not said:
            return 0.0
        made = [(c.name, _parsed(c.arguments)) for c in (said[-1].tool_calls or [])]
        wanted = [(call["name"], call["arguments"]) for call in self.data.wanted]
        answer = said[-1].content or ""
        says_all = all(_says(answer, check) for check in self.data.answers)
        return float(made == wanted and (bool(wanted) or bool(answer.strip())) and says_all)


class DecisionsConfig(vf.TasksetConfig):
    path: str = str(Path(__file__).with_name("tasks.jsonl"))


class Decisions(vf.Taskset[DecisionTask, DecisionsConfig]):
    def load(self):
        for index, line in enumerate(Path(self.config.path).read_text().splitlines()):
            row = json.loads(line)
            data = Decision(
                idx=index,
                name=row["name"],
                prompt=row["prompt"],
                wanted=row["wanted"],
                answers=row["answers"],
            )
            yield DecisionTask(data, self.config.task)


def _parsed(arguments: str):
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments


def _says(answer: str, check: dict) -> bool:
    how, value = check["how"], check["value"]
    if how == "pattern":
        return re.search(value, answer, re.IGNORECASE) is not None
    if how == "number":
        found = re.findall(r"-?\\d[\\d,]*(?:\\.\\d+)?", answer)
        wanted = float(value.replace(",", ""))
        return any(abs(float(n.replace(",", "")) - wanted) <= check["tolerance"] for n in found)
    if how == "equal":
        return _words(answer) == _words(value)
    return _words(value) in _words(answer)


def _words(text: str) -> str:
    return " ".join(text.casefold().split())
'''


def can_score(task: Task, check: Check) -> bool:
    """Return whether the package's module scores what the check says."""
    match check:
        case ToolCallCheck() | SchemaCheck() | NoErrorCheck():
            return True
        case EnvironmentCheck():
            return bool(task.reference.tool_calls)
        case LimitCheck():
            return check.max_tokens is None
        case AnswerCheck() | FinalAnswerCheck():
            return not task.reference.tool_calls
        case _:
            return False


def task_line(task: Task) -> Line:
    """Return the task as the package's module reads it."""
    prompt: list[JsonValue] = [_message(message) for message in task.prompt]
    wanted: list[JsonValue] = [
        {"name": call.name, "arguments": call.parsed()} for call in task.reference.tool_calls
    ]
    answers: list[JsonValue] = [
        _answer(check) for check in task.checks if isinstance(check, AnswerCheck | FinalAnswerCheck)
    ]
    return {
        "name": task.id,
        "slice": task.slice,
        "prompt": prompt,
        "wanted": wanted,
        "answers": answers,
    }


def _answer(check: AnswerCheck | FinalAnswerCheck) -> Line:
    if isinstance(check, AnswerCheck):
        return {"how": "contains", "value": check.contains}
    return {"how": check.how, "value": check.value, "tolerance": check.tolerance}


def _message(message: Message) -> Line:
    """The message in OpenAI's form but for its calls, which verifiers takes flat."""
    line = chat_message(message)
    if message.tool_calls:
        line["tool_calls"] = [
            {"id": call.id, "name": call.name, "arguments": call.arguments}
            for call in message.tool_calls
        ]
    return line
