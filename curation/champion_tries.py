"""Champion tries: how hard is each task for the model that production serves?

The share of tries that pass is the task's difficulty. What the champion always solves failed by
chance and teaches nothing; a step that no source could mend gets its reference from a try that
passed in the environment. Tries that an outage or a token limit spoiled count as neither.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from tracemill.curation.chat import ChatModel
from tracemill.curation.draft import Draft
from tracemill.curation.options import CurationOptions
from tracemill.curation.proof import FULL, reward_of
from tracemill.curation.references import ENVIRONMENT_FAILED, Refusal
from tracemill.curation.rollout import Rollout, roll_out
from tracemill.curation.task import Task
from tracemill.errors import EnvironmentFailedError


def try_champion(
    drafted: Draft,
    champion: ChatModel,
    *,
    options: CurationOptions,
    max_tokens: int = 128,
    known: Iterable[Rollout] = (),
    progress: Callable[[int, int], None] | None = None,
) -> Draft:
    """Return the draft with pass rates, with references found by trying, and with the tries.

    Only failing tasks of the training side are tried, and steps without a reference of either
    side; the suite's own tasks stay as they were drawn. `known` are tries of this champion that
    need not be made again (`kept_tries.py`).
    """
    if options.tries == 0:
        return drafted
    failing = [task for task in drafted.tasks if task.is_failure and task.split == "train"]
    tried = [*failing, *drafted.unreferenced]
    made = {(each.task_id, each.seed): each for each in known}
    for seeds, tasks in _missing(tried, range(options.tries), made).items():
        for rollout in roll_out(
            champion,
            tasks,
            seeds=seeds,
            temperature=options.try_temperature,
            max_tokens=max_tokens,
            progress=progress,
        ):
            made[rollout.task_id, rollout.seed] = rollout
    rollouts = tuple(made[task.id, seed] for seed in range(options.tries) for task in tried)
    by_task = _by_task(rollouts)
    judged = [_judge(task, by_task[task.id], options) for task in failing]
    judged += [_refer(task, by_task[task.id]) for task in drafted.unreferenced]
    refused = Counter(drafted.refused)
    refused.update(each.reason for each in judged if isinstance(each, Refusal))
    tried_ids = {task.id for task in failing}
    untouched = [task for task in drafted.tasks if task.id not in tried_ids]
    kept = [each for each in judged if isinstance(each, Task)]
    return replace(
        drafted,
        tasks=tuple(sorted((*untouched, *kept), key=lambda task: task.id)),
        unreferenced=(),
        refused=dict(sorted(refused.items())),
        rollouts=rollouts,
        tried_traces={task.id: task.sources[0].trace_id for task in tried},
    )


def _missing(
    tasks: Iterable[Task], seeds: Iterable[int], made: Collection[tuple[str, int]]
) -> dict[tuple[int, ...], list[Task]]:
    """Seeds → the tasks that are still to be tried at just these; none where none is missing."""
    wanted = tuple(seeds)
    grouped: dict[tuple[int, ...], list[Task]] = {}
    for task in tasks:
        missing = tuple(seed for seed in wanted if (task.id, seed) not in made)
        if missing:
            grouped.setdefault(missing, []).append(task)
    return grouped


def _by_task(rollouts: Iterable[Rollout]) -> dict[str, list[Rollout]]:
    grouped: dict[str, list[Rollout]] = {}
    for rollout in rollouts:
        grouped.setdefault(rollout.task_id, []).append(rollout)
    return grouped


def _pass_rate(tries: Sequence[Rollout]) -> float | None:
    """Share of the scored tries that passed; None where none could be scored."""
    scored = [rollout for rollout in tries if rollout.status == "scored"]
    return sum(rollout.passed for rollout in scored) / len(scored) if scored else None


def _judge(task: Task, tries: Sequence[Rollout], options: CurationOptions) -> Task | Refusal:
    rate = _pass_rate(tries)
    if rate == 1.0 and _lot(task) >= options.always_solved_share:
        return Refusal("the champion solves it in every try")
    if rate == 0.0 and _lot(task) >= options.never_solved_share:
        return Refusal("the champion solves it in no try")
    return task.model_copy(update={"pass_rate": rate})


def _lot(task: Task) -> float:
    """A number from 0 to 1 that is the task's own."""
    return int.from_bytes(hashlib.sha256(task.id.encode()).digest()[:8], "big") / 2**64


def _refer(task: Task, tries: Sequence[Rollout]) -> Task | Refusal:
    """The task with the first try as reference that passes with its first message alone."""
    rate = _pass_rate(tries)
    if rate is None:
        return Refusal("the champion's tries could not be scored")
    for rollout in tries:
        if rollout.passed and rollout.messages:
            reference = rollout.messages[0]
            try:
                is_proved = reward_of(task, reference) >= FULL
            except EnvironmentFailedError:
                return Refusal(ENVIRONMENT_FAILED)
            if is_proved:
                kind = reference.tool_calls[0].name if reference.tool_calls else "answer"
                return task.model_copy(
                    update={"reference": reference, "slice": kind, "pass_rate": rate}
                )
    return Refusal("no try of the champion shows what would have been right")
