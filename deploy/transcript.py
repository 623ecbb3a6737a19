"""Transcript: what champion and candidate did with one task, before → after, as plain text."""

from collections.abc import Iterable
from typing import Literal

from tracemill.curation.rollout import Rollout
from tracemill.curation.task import Task
from tracemill.evaluation.scorecard import Scorecard
from tracemill.evaluation.suite import Suite
from tracemill.evaluation.verdict import Verdict
from tracemill.ingest.trace import Message
from tracemill.record import Record

_LONGEST_MESSAGE = 600


class Change(Record):
    """One held-out task that came out differently, with both tries."""

    task_id: str
    slice: str
    direction: Literal["fixed", "broken"]
    seed: int
    request: str
    """What the user asked, and what happened since, as text."""
    champion: str
    """What the champion did."""
    candidate: str
    """What the candidate did."""
    failed_checks: str
    """Why the one that failed did fail."""
    wanted: str
    """A continuation that passes every check."""
    sources: tuple[str, ...]
    """Ids of the traces that the task comes from."""


def list_changes(
    verdict: Verdict, suite: Suite, champion: Scorecard, candidate: Scorecard
) -> tuple[Change, ...]:
    """Return every task that the verdict calls broken or fixed, the broken first."""
    tasks = {task.id: task for task in suite.tasks}
    before = {(rollout.task_id, rollout.seed): rollout for rollout in champion.rollouts}
    after = {(rollout.task_id, rollout.seed): rollout for rollout in candidate.rollouts}
    named: list[tuple[Literal["fixed", "broken"], tuple[str, ...]]] = [
        ("broken", verdict.broken),
        ("fixed", verdict.fixed),
    ]
    changes = []
    for direction, task_ids in named:
        for task_id in task_ids:
            tries = [(before[task_id, seed], after[task_id, seed]) for seed in champion.seeds]
            old, new = next(
                (old, new)
                for old, new in tries
                if new.passed == (direction == "fixed") != old.passed
            )
            changes.append(_change(tasks[task_id], direction, old, new))
    return tuple(changes)


def _change(
    task: Task, direction: Literal["fixed", "broken"], champion: Rollout, candidate: Rollout
) -> Change:
    failing = champion if direction == "fixed" else candidate
    return Change(
        task_id=task.id,
        slice=task.slice,
        direction=direction,
        seed=champion.seed,
        request=to_text(_since_request(task.prompt)),
        champion=to_text(champion.messages),
        candidate=to_text(candidate.messages),
        failed_checks="; ".join(
            f"{check.check}: {check.detail}" if check.detail else check.check
            for check in failing.checks
            if not check.passed
        ),
        wanted=to_text((task.reference,)),
        sources=tuple(source.trace_id for source in task.sources),
    )


def _since_request(prompt: tuple[Message, ...]) -> tuple[Message, ...]:
    """Return the prompt from its last user message on."""
    asked = [place for place, message in enumerate(prompt) if message.role == "user"]
    return prompt[asked[-1] :] if asked else prompt[-1:]


def to_text(messages: Iterable[Message]) -> str:
    """Return messages as lines `role: text` and `role calls name arguments`, long ones cut."""
    return "\n".join(line for message in messages for line in _lines(message)) or "(nothing)"


def _lines(message: Message) -> Iterable[str]:
    if message.content or not message.tool_calls:
        yield f"{message.role}: {_cut(message.content or '(nothing)')}"
    for call in message.tool_calls:
        yield f"{message.role} calls {call.name} {_cut(call.arguments)}"


def _cut(text: str) -> str:
    if len(text) <= _LONGEST_MESSAGE:
        return text
    return f"{text[:_LONGEST_MESSAGE]} … ({len(text) - _LONGEST_MESSAGE} more characters)"
