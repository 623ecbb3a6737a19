"""Champion tries: how hard is each task for the model that production serves?

The share of tries that pass is the task's difficulty. What the champion always solves failed by
chance and teaches nothing; a step that no source could mend gets its reference from a try that
passed in the environment. Tries that an outage or a token limit spoiled count as neither.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
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
    progress: Callable[[int, int], None] | None = None,
) -> Draft:
    """Return the draft with pass rates, with references found by trying, and with the tries.

    Only failing tasks of the training side are tried, and steps without a reference of either
    side; the suite's own tasks stay as they were drawn.
    """
    if options.tries == 0:
        return drafted
    known = [task for task in drafted.tasks if task.is_failure and task.split == "train"]
    tried = [*known, *drafted.unreferenced]
    rollouts = roll_out(
        champion,
        tried,
        seeds=range(options.tries),
        temperature=options.try_temperature,
        max_tokens=max_tokens,
        progress=progress,
    )
    by_task = _by_task(rollouts)
    judged = [_judge(task, by_task[task.id], options) for task in known]
    judged += [_refer(task, by_task[task.id]) for task in drafted.unreferenced]
    refused = Counter(drafted.refused)
    refused.update(each.reason for each in judged if isinstance(each, Refusal))
    known_ids = {task.id for task in known}
    untouched = [task for task in drafted.tasks if task.id not in known_ids]
    kept = [each for each in judged if isinstance(each, Task)]
    return replace(
        drafted,
        tasks=tuple(sorted((*untouched, *kept), key=lambda task: task.id)),
        unreferenced=(),
        refused=dict(sorted(refused.items())),
        rollouts=rollouts,
    )


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
