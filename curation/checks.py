"""Checks: score a rollout against a task, 0 to 1. The one definition of "good".

Training turns these into rewards, the gate into scores, drafting into proofs. Comes in: the
messages that a rollout added to the task's prompt, and the environment as the rollout left it.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from tracemill.curation.arguments import arguments_match, differing_arguments
from tracemill.curation.check_result import CheckResult
from tracemill.curation.environment import Environment
from tracemill.curation.form_checks import run_form
from tracemill.curation.judge import run_judge
from tracemill.curation.sandbox import run_command
from tracemill.curation.schema import call_problem
from tracemill.curation.task import (
    Check,
    CommandCheck,
    EnvironmentCheck,
    JudgeCheck,
    SchemaCheck,
    Task,
    ToolCallCheck,
)
from tracemill.errors import EnvironmentFailedError
from tracemill.ingest.trace import Message, ToolCall, ToolSpec

__all__ = ["FULL", "CheckResult", "score", "verdict_of"]

FULL = 1.0 - 1e-9
"""From here a reward, or an environment's verdict, is full."""


def score(
    task: Task,
    messages: Sequence[Message],
    environment: Environment | None,
    *,
    completion_tokens: int | None = None,
) -> tuple[tuple[CheckResult, ...], float]:
    """Return each check's result, in the task's order, and the reward.

    The reward is the weighted share of the checks that passed (0 to 1); `completion_tokens` are
    those of the assistant messages, where they were counted. Raises EnvironmentFailedError where
    the environment's verdict is wanted and cannot be had, CheckNotRunError where a check cannot be
    run.
    """
    rollout = _Judged(messages, environment, completion_tokens)
    results = tuple(_run(check, task, rollout) for check in task.checks)
    total = sum(check.weight for check in task.checks)
    if total <= 0:
        raise ValueError(f"task {task.id!r} has no check with weight: it cannot be scored")
    passed = sum(
        check.weight for check, result in zip(task.checks, results, strict=True) if result.passed
    )
    return results, passed / total


class _Judged(NamedTuple):
    """What the checks look at."""

    messages: Sequence[Message]
    environment: Environment | None
    completion_tokens: int | None


def _run(check: Check, task: Task, rollout: _Judged) -> CheckResult:
    messages = rollout.messages
    match check:
        case ToolCallCheck():
            return _run_tool_call(check, _calls(messages))
        case SchemaCheck():
            return _run_schema(_calls(messages), task.tools)
        case EnvironmentCheck():
            return _run_environment(rollout.environment)
        case CommandCheck():
            return run_command(check, messages)
        case JudgeCheck():
            return run_judge(check, task.prompt, messages)
        case _:
            return run_form(check, messages, rollout.completion_tokens)


def _calls(messages: Sequence[Message]) -> tuple[ToolCall, ...]:
    return tuple(call for message in messages for call in message.tool_calls)


def _run_tool_call(check: ToolCallCheck, calls: Sequence[ToolCall]) -> CheckResult:
    name = f"tool_call {check.tool}"
    same_tool = [call.parsed() or {} for call in calls if call.name == check.tool]
    if any(arguments_match(check.arguments, found) for found in same_tool):
        return CheckResult(check=name, passed=True)
    if not same_tool:
        made = ", ".join(call.name for call in calls) or "no call"
        return CheckResult(check=name, passed=False, detail=f"wanted {check.tool}, found {made}")
    fewest = min((differing_arguments(check.arguments, found) for found in same_tool), key=len)
    return CheckResult(check=name, passed=False, detail=f"differs in {', '.join(fewest)}")


def _run_schema(calls: Sequence[ToolCall], tools: tuple[ToolSpec, ...]) -> CheckResult:
    problems = [problem for call in calls if (problem := call_problem(call, tools))]
    return CheckResult(check="schema", passed=not problems, detail="; ".join(problems))


def _run_environment(environment: Environment | None) -> CheckResult:
    if environment is None:
        raise EnvironmentFailedError(
            "an environment's verdict is wanted and the task ran without one: name its factory"
        )
    verdict = verdict_of(environment)
    passed = verdict >= FULL
    detail = "" if passed else f"the environment's verdict is {verdict:g}"
    return CheckResult(check="environment", passed=passed, detail=detail)


def verdict_of(environment: Environment) -> float:
    """Return the environment's verdict; EnvironmentFailedError if it has none from 0 to 1."""
    try:
        verdict = environment.verdict()
    except Exception as error:
        raise EnvironmentFailedError(f"the environment gave no verdict: {error!r}") from error
    if not (math.isfinite(verdict) and 0.0 <= verdict <= 1.0):
        raise EnvironmentFailedError(f"the environment's verdict {verdict!r} is not from 0 to 1")
    return verdict
