"""Carrying: which tasks another trainer can score as their checks say.

A check that a trainer cannot score is not left out of a row: the row is refused, with the reason.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple

from tracemill.curation.task import Check, CommandCheck, JudgeCheck, Task


class Carried(NamedTuple):
    """The tasks that can be handed out, and how many cannot, by reason."""

    tasks: tuple[Task, ...]
    refused: Counter[str]


def carried(tasks: Iterable[Task], can_score: Callable[[Task, Check], bool]) -> Carried:
    """Return the tasks of one step of which `can_score` accepts every check."""
    kept: list[Task] = []
    refused: Counter[str] = Counter()
    for task in tasks:
        why = _why_not(task, can_score)
        if why is None:
            kept.append(task)
        else:
            refused[why] += 1
    return Carried(tuple(kept), refused)


def _why_not(task: Task, can_score: Callable[[Task, Check], bool]) -> str | None:
    if task.is_whole_episode:
        return "a whole episode cannot be scored by its first step"
    check = next((check for check in task.checks if not can_score(task, check)), None)
    return (
        None if check is None else f"the check {_label(check)!r} cannot be scored by this trainer"
    )


def _label(check: Check) -> str:
    match check:
        case CommandCheck() | JudgeCheck():
            return f"{check.kind} {check.name}"
        case _:
            return check.kind
