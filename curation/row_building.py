"""Row building: the training rows that tasks yield.

Every task of the training side gives one example, its reference after its prompt. One that
mends a failure gives pairs too: the reference is chosen and what the agent did is rejected; and
where the champion was tried, a try that passed is chosen and one that failed is rejected. All
sides are scored by the task's own checks. The suite's tasks give nothing, nor do whole episodes,
which are to be rolled out.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, cast

from tracemill.curation.arguments import says_the_same
from tracemill.curation.draft import Draft
from tracemill.curation.options import CurationOptions
from tracemill.curation.proof import FULL, reward_of
from tracemill.curation.references import ENVIRONMENT_FAILED
from tracemill.curation.rollout import Rollout
from tracemill.curation.rows import Example, Pair, PairOrigin, PairProof, Unpaired
from tracemill.curation.task import Task
from tracemill.errors import EnvironmentFailedError
from tracemill.ingest.trace import Message
from tracemill.record import content_id


class Rows(NamedTuple):
    """Training rows, ordered by id, and why there are no more pairs."""

    examples: tuple[Example, ...]
    pairs: tuple[Pair, ...]
    refused: dict[str, int]
    """Reason → pairs that were not made."""
    unpaired: tuple[Unpaired, ...] = ()
    """Judgements without a pair, for KTO."""


def rows_of(drafted: Draft, options: CurationOptions) -> Rows:
    """Return all training rows of the draft: of its tasks, of siblings, and of judgements alone."""
    rows = make_rows(drafted.tasks, options, rollouts=drafted.rollouts)
    pairs = sorted((*rows.pairs, *drafted.siblings), key=lambda pair: pair.id)
    return rows._replace(pairs=tuple(pairs), unpaired=drafted.unpaired)


class _Sides(NamedTuple):
    chosen: Message
    rejected: Message
    origin: PairOrigin


def make_rows(
    tasks: Iterable[Task], options: CurationOptions, *, rollouts: Iterable[Rollout] = ()
) -> Rows:
    """Return the examples and pairs of the tasks of the training side.

    `rollouts` are the champion's tries at them, if it was tried.
    """
    tries: dict[str, list[Rollout]] = {}
    for rollout in rollouts:
        tries.setdefault(rollout.task_id, []).append(rollout)
    examples, pairs, refused = [], [], Counter[str]()
    for task in tasks:
        if task.split != "train" or task.is_whole_episode:
            continue
        examples.append(_example(task))
        for sides in _sides(task, tries.get(task.id, ())):
            pair = _pair(task, sides, options)
            if isinstance(pair, Pair):
                pairs.append(pair)
            else:
                refused[pair] += 1
    return Rows(
        tuple(sorted(examples, key=lambda row: row.id)),
        tuple(sorted(pairs, key=lambda row: row.id)),
        dict(sorted(refused.items())),
    )


def _sides(task: Task, tries: Sequence[Rollout]) -> Iterator[_Sides]:
    """The sides that may make pairs: the task's own, and one of the champion's tries."""
    if task.failing is None:
        return
    yield _Sides(task.reference, task.failing, cast(PairOrigin, task.reference_origin))
    scored = [rollout for rollout in tries if rollout.status == "scored" and rollout.messages]
    passed = [rollout.messages[0] for rollout in scored if rollout.passed]
    failed = [rollout.messages[0] for rollout in scored if not rollout.passed]
    if failed:
        yield _Sides(passed[0] if passed else task.reference, failed[0], "resample")


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


def _pair(task: Task, sides: _Sides, options: CurationOptions) -> Pair | str:
    """The pair, or why there is none."""
    if says_the_same(sides.chosen, sides.rejected):
        return "both sides say the same"
    if options.needs_equal_form and _differs_in_form(sides.chosen, sides.rejected):
        return "the sides differ in form: one speaks before it calls"
    try:
        chosen, rejected = reward_of(task, sides.chosen), reward_of(task, sides.rejected)
    except EnvironmentFailedError:
        return ENVIRONMENT_FAILED
    if chosen < FULL or rejected >= FULL:
        return "the checks do not tell the sides apart"
    return Pair(
        id=content_id("pair", [task.id, sides.chosen.to_chat(), sides.rejected.to_chat()]),
        prompt=task.prompt,
        tools=task.tools,
        chosen=sides.chosen,
        rejected=sides.rejected,
        origin=sides.origin,
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
