"""Short ways to write suites and scorecards in the tests of evaluation and deploy."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from tracemill.curation.rollout import Rollout
from tracemill.curation.task import AnswerCheck, Task, TraceRef
from tracemill.evaluation.scorecard import Scorecard
from tracemill.evaluation.suite import Suite, make_suite
from tracemill.ingest.trace import Message, ModelRef

CHAMPION = ModelRef(name="desk", version="1")
CANDIDATE = ModelRef(name="desk", version="2")


def task(id_: str, *, slice_: str = "refund_order", group: str | None = None) -> Task:
    return Task(
        id=id_,
        prompt=(Message(role="user", content=f"please do {id_}"),),
        tools=(),
        checks=(AnswerCheck(contains="done"),),
        reference=Message(role="assistant", content="done"),
        reference_origin="production",
        slice=slice_,
        split="heldout",
        group=group or id_,
        sources=(TraceRef(trace_id=f"trace-{id_}", revision=1),),
        seen_at=datetime(2026, 3, 1, tzinfo=UTC),
    )


def suite_of(slices: Mapping[str, int], *, guards: Sequence[str] = ()) -> Suite:
    """A suite with so many tasks in each slice, named `slice-00`, `slice-01`, …"""
    tasks = [
        task(f"{name}-{number:02}", slice_=name)
        for name, count in slices.items()
        for number in range(count)
    ]
    return make_suite(tuple(tasks), frozenset(guards))


def rollout(
    task_id: str, model: ModelRef, *, passed: bool | None, seed: int = 0, said: str = ""
) -> Rollout:
    """A rollout that passed, failed, or (None) met an outage."""
    return Rollout(
        task_id=task_id,
        model=model,
        seed=seed,
        status="infrastructure" if passed is None else "scored",
        reward=None if passed is None else float(passed),
        reason="503 Service Unavailable" if passed is None else "",
        messages=(Message(role="assistant", content=said or ("done" if passed else "no idea")),),
        prompt_tokens=10,
        completion_tokens=5,
        seconds=0.1,
    )


def card(
    suite: Suite,
    model: ModelRef,
    passes: Mapping[str, int],
    *,
    unscored: Sequence[str] = (),
    seeds: Sequence[int] = (0,),
) -> Scorecard:
    """A scorecard on which the first so many tasks of each slice pass, in every seed."""
    left = dict(passes)
    outcome: dict[str, bool | None] = {}
    for each in suite.tasks:
        left[each.slice] = left.get(each.slice, 0) - 1
        outcome[each.id] = None if each.id in unscored else left[each.slice] >= 0
    return Scorecard(
        model=model,
        suite_id=suite.id,
        seeds=tuple(seeds),
        rollouts=tuple(
            rollout(task_id, model, passed=passed, seed=seed)
            for seed in seeds
            for task_id, passed in outcome.items()
        ),
        seconds=1.0,
    )


def both(
    suite: Suite, champion: Mapping[str, int], candidate: Mapping[str, int]
) -> tuple[Scorecard, Scorecard]:
    """Return candidate's and champion's scorecards, in the order that `judge` takes them."""
    return card(suite, CANDIDATE, candidate), card(suite, CHAMPION, champion)


def changed(scorecard: Scorecard, place: int, **fields: object) -> Scorecard:
    """The scorecard with one rollout changed."""
    rollouts = list(scorecard.rollouts)
    rollouts[place] = rollouts[place].model_copy(update=fields)
    return scorecard.model_copy(update={"rollouts": tuple(rollouts)})
