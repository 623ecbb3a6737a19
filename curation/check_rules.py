"""Check rules: checks of the team's own, written in the settings, that drafted tasks get.

A rule is a check and where it counts. A task enters only if its reference passes them, like all
its other checks; nothing of a rule comes from a trace.
"""

from collections.abc import Iterable
from typing import Annotated

from pydantic import Field, TypeAdapter

from tracemill.curation.task import (
    AnswerCheck,
    Check,
    CommandCheck,
    FinalAnswerCheck,
    JudgeCheck,
    LimitCheck,
    NoErrorCheck,
    Task,
)
from tracemill.record import Record


class Scope(Record):
    """Which tasks a rule is for: those that satisfy all that is named here."""

    tools: tuple[str, ...] = ()
    """Whose reference calls one of these (where there is no reference yet: the failing step)."""
    slices: tuple[str, ...] = ()
    failure_modes: tuple[str, ...] = ()
    """Ids of failure modes, as `tracemill failures` prints them."""


class CommandRule(CommandCheck, Scope):
    """A command of the team's own must exit with 0."""


class JudgeRule(JudgeCheck, Scope):
    """A language model must accept the rollout by a rubric."""


class AnswerRule(AnswerCheck, Scope):
    """The last answer must contain a text."""


class FinalAnswerRule(FinalAnswerCheck, Scope):
    """The last answer must be a text, match a pattern, or hold a number."""


class LimitRule(LimitCheck, Scope):
    """The rollout may take so many steps, calls and tokens."""


class NoErrorRule(NoErrorCheck, Scope):
    """No tool may answer with an error."""


CheckRule = Annotated[
    CommandRule | JudgeRule | AnswerRule | FinalAnswerRule | LimitRule | NoErrorRule,
    Field(discriminator="kind"),
]
_CHECK: TypeAdapter[Check] = TypeAdapter(Check)


def checks_of_rules(rules: Iterable[CheckRule], task: Task) -> tuple[Check, ...]:
    """Return the checks of the rules that are for this task, in the rules' order."""
    return tuple(
        _CHECK.validate_python(rule.model_dump(exclude=set(Scope.model_fields)))
        for rule in rules
        if _is_for(rule, task)
    )


def _is_for(scope: Scope, task: Task) -> bool:
    return (
        (not scope.tools or not _called(task).isdisjoint(scope.tools))
        and (not scope.slices or task.slice in scope.slices)
        and (not scope.failure_modes or task.failure_mode in scope.failure_modes)
    )


def _called(task: Task) -> set[str]:
    """The tools that the reference calls; the failing step's where there is no reference yet."""
    said = [task.reference, *task.reference_rest]
    if task.reference_origin == "resample" and task.failing is not None:
        said.append(task.failing)
    return {call.name for message in said for call in message.tool_calls}
