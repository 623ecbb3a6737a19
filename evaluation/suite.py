"""Suite: the tasks of the gate, fixed before anybody is evaluated on them."""

from tracemill.curation.task import Task
from tracemill.errors import EmptySuiteError
from tracemill.record import Record, content_id


class Suite(Record):
    """Tasks under the id of their content."""

    id: str
    tasks: tuple[Task, ...]
    guards: frozenset[str] = frozenset()
    """Task ids on which not one loss is allowed."""


def make_suite(tasks: tuple[Task, ...], guards: frozenset[str] = frozenset()) -> Suite:
    """Return the suite of these tasks, ordered by id.

    Raises EmptySuiteError where there is no task: a gate never judges on nothing.
    """
    if not tasks:
        raise EmptySuiteError("the suite holds no task: a gate cannot judge on no evidence")
    ordered = tuple(sorted(tasks, key=lambda task: task.id))
    return Suite(
        id=content_id("suite", [task.id for task in ordered]), tasks=ordered, guards=guards
    )
