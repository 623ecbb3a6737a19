"""Tasks that wait for what comes back by itself: a store in use, a broker that restarts."""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from prefect import Task, task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State, TaskRun

from tracemill.errors import SourceUnavailableError, StoreLockedError

P = ParamSpec("P")
R = TypeVar("R")

RETRIES = 3
RETRY_SECONDS = 20.0


def named_task(name: str) -> Callable[[Callable[P, R]], Task[P, R]]:
    """Return the decorator for a step of a flow.

    Its result is never taken from an earlier run: what it reads has changed since. It is tried
    again where another process holds the store or the broker does not answer; whatever else
    fails, fails at once.
    """
    return task(
        name=name,
        cache_policy=NO_CACHE,
        retries=RETRIES,
        retry_delay_seconds=RETRY_SECONDS,
        retry_condition_fn=passes_by_itself,
    )


def passes_by_itself(_task: Task[..., Any], _run: TaskRun, state: State[Any]) -> bool:
    """Return whether the step failed by something that may be over in a moment."""
    error = state.result(raise_on_failure=False)
    return isinstance(error, StoreLockedError | SourceUnavailableError)
