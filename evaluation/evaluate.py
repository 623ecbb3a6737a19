"""Evaluate: a model and a suite → Scorecard."""

from collections.abc import Callable, Sequence
from itertools import product
from time import perf_counter

from tracemill.curation.chat import ChatModel
from tracemill.curation.rollout import Rollout, roll_out
from tracemill.errors import EmptySuiteError
from tracemill.evaluation.scorecard import Scorecard
from tracemill.evaluation.suite import Suite

BATCH_SIZE = 32
"""Tasks that are rolled out side by side."""


def evaluate(
    model: ChatModel,
    suite: Suite,
    *,
    seeds: Sequence[int] = (0,),
    temperature: float = 0.0,
    max_tokens: int = 128,
    progress: Callable[[str, int, int, float], None] | None = None,
) -> Scorecard:
    """Return the model's rollouts over the suite, each task once for each seed.

    `progress` hears (what, done, of all, share passed of those scored so far). Raises
    EmptySuiteError where the suite holds no task.
    """
    if not suite.tasks:
        raise EmptySuiteError(f"suite {suite.id!r} holds no task: draft held-out tasks first")
    started = perf_counter()
    rollouts: list[Rollout] = []
    starts = range(0, len(suite.tasks), BATCH_SIZE)
    for seed, start in product(seeds, starts):
        rollouts += roll_out(
            model,
            suite.tasks[start : start + BATCH_SIZE],
            seeds=(seed,),
            temperature=temperature,
            max_tokens=max_tokens,
            batch_size=BATCH_SIZE,
        )
        if progress is not None:
            done, of_all = len(rollouts), len(suite.tasks) * len(seeds)
            progress(f"evaluate {model.ref.label}", done, of_all, _pass_rate(rollouts))
    return Scorecard(
        model=model.ref,
        suite_id=suite.id,
        seeds=tuple(seeds),
        rollouts=tuple(rollouts),
        seconds=perf_counter() - started,
    )


def _pass_rate(rollouts: Sequence[Rollout]) -> float:
    scored = [rollout for rollout in rollouts if rollout.status == "scored"]
    return sum(rollout.passed for rollout in scored) / len(scored) if scored else 0.0
