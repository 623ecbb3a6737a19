"""Row building: the training rows that tasks yield.

Every task of the training side gives one example, its reference after its prompt. One that
mends a failure gives a pair too: the reference is chosen, what the agent did is rejected, and
both were scored by the task's own checks. The suite's tasks give nothing.
"""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple, cast

from tracemill.curation.arguments import says_the_same
from tracemill.curation.options import CurationOptions
from tracemill.curation.proof import reward_of
from tracemill.curation.rows import Example, Pair, PairOrigin, PairProof
from tracemill.curation.task import Task
from tracemill.errors import EnvironmentFailedError
from tracemill.ingest.trace import Message
from tracemill.record import content_id

_FULL = 1.0 - 1e-9


class Rows(NamedTuple):
    """Training rows, ordered by id, and why there are no more pairs."""

    examples: tuple[Example, ...]
    pairs: tuple[Pair, ...]
    refused: dict[str, int]
    """Reason → pairs that were not made."""


def make_rows(tasks: Iterable[Task], options: CurationOptions) -> Rows:
    """Return the examples and pairs of the tasks of the training side."""
    examples, pairs, refused = [], [], Counter[str]()
    for task in tasks:
        if task.split != "train":
            continue
        examples.append(_example(task))
        if task.failing is None:
            continue
        pair = _pair(task, task.failing, options)
        if isinstance(pair, Pair):
            pairs.append(pair)
        else:
            refused[pair] += 1
    return Rows(
        tuple(sorted(examples, key=lambda row: row.id)),
        tuple(sorted(pairs, key=lambda row: row.id)),
        dict(sorted(refused.items())),
    )


def _example(task: Task) -> Example:
    return Example(
        id=content_id("example", task.id),
        prompt=task.prompt,
        tools=task.tools,
        completion=task.reference,
        is_replay=not task.is_failure,
        origin=task.reference_origin,
        slice=task.slice,
        group=task.group,
        task_id=task.id,
        sources=task.sources,
    )


def _pair(task: Task, failing: Message, options: CurationOptions) -> Pair | str:
    """The pair, or why there is none."""
    if says_the_same(task.reference, failing):
        return "both sides say the same"
    if options.needs_equal_form and _differs_in_form(task.reference, failing):
        return "the sides differ in form: one speaks before it calls"
    try:
        chosen, rejected = reward_of(task, task.reference), reward_of(task, failing)
    except EnvironmentFailedError:
        return "the environment failed"
    if chosen < _FULL or rejected >= _FULL:
        return "the checks do not tell the sides apart"
    return Pair(
        id=content_id("pair", task.id),
        prompt=task.prompt,
        tools=task.tools,
        chosen=task.reference,
        rejected=failing,
        origin=cast(PairOrigin, task.reference_origin),
        proof=PairProof(
            chosen_reward=chosen,
            rejected_reward=rejected,
            checks=tuple(check.kind for check in task.checks),
        ),
        slice=task.slice,
        group=task.group,
        task_id=task.id,
        sources=task.sources,
    )


def _differs_in_form(chosen: Message, rejected: Message) -> bool:
    """Whether both call, and only one speaks beside it: such a pair teaches the form."""
    both_call = bool(chosen.tool_calls and rejected.tool_calls)
    return both_call and bool(chosen.content) != bool(rejected.content)
