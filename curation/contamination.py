"""Contamination guard: no training row within reach of the suite.

Drafting keeps the two apart; this guard trusts nobody. A row that comes from a suite's trace,
or whose prompt is a suite's prompt once case, blanks and ids are put aside, stops the build.
"""

from collections.abc import Iterable

from tracemill.curation.reach import conversation_key
from tracemill.curation.rows import Example, Pair
from tracemill.curation.task import Task
from tracemill.errors import ContaminationError


def guard(rows: Iterable[Example | Pair], suite: Iterable[Task]) -> None:
    """Return if every row is out of reach of the suite's tasks.

    Raises ContaminationError that names the row and the task it touches.
    """
    tasks = tuple(suite)
    by_prompt = {conversation_key(task.prompt): task.id for task in tasks}
    by_trace = {source.trace_id: task.id for task in tasks for source in task.sources}
    by_group = {task.group: task.id for task in tasks}
    for row in rows:
        _refuse(row, by_prompt.get(conversation_key(row.prompt)), "asks what it asks")
        _refuse(row, by_group.get(row.group), f"comes from the same {row.group!r} as it")
        for source in row.sources:
            _refuse(row, by_trace.get(source.trace_id), f"comes from its trace {source.trace_id!r}")


def _refuse(row: Example | Pair, task_id: str | None, why: str) -> None:
    if task_id is not None:
        raise ContaminationError(
            f"training row {row.id!r} is within reach of the suite's task {task_id!r}: it {why}; "
            "take the row out, or give the task another side of the split"
        )
