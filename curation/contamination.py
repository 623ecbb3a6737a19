"""Contamination guard: no training row within reach of the suite.

Drafting keeps the two apart; this guard trusts nobody. A row that comes from a suite's trace or
user, or whose prompt is a suite's prompt or nearly so, stops the build.
"""

from collections.abc import Sequence

from tracemill.curation.near_duplicates import within_reach
from tracemill.curation.reach import beginning_of, conversation_key, conversation_text
from tracemill.curation.rows import Example, Pair, Unpaired
from tracemill.curation.shingles import shingle
from tracemill.curation.task import Task
from tracemill.errors import ContaminationError


def guard(
    rows: Sequence[Example | Pair | Unpaired], suite: Sequence[Task], *, near_duplicate: float = 0.9
) -> None:
    """Return if every row is out of reach of the suite's tasks.

    Raises ContaminationError that names the row and the task it touches.
    """
    by_prompt = {conversation_key(task.prompt): task.id for task in suite}
    by_trace = {source.trace_id: task.id for task in suite for source in task.sources}
    by_group = {task.group: task.id for task in suite}
    beginnings = {beginning_of(task.prompt) for task in suite}
    for row in rows:
        if beginning_of(row.prompt) in beginnings:
            _refuse(row, by_prompt.get(conversation_key(row.prompt)), "asks what it asks")
        _refuse(row, by_group.get(row.group), f"comes from the same {row.group!r} as it")
        for source in row.sources:
            _refuse(row, by_trace.get(source.trace_id), f"comes from its trace {source.trace_id!r}")
    reached = within_reach(
        shingle([conversation_text(row.prompt) for row in rows]),
        shingle([conversation_text(task.prompt) for task in suite]),
        threshold=near_duplicate,
    )
    for each in reached:
        _refuse(rows[each.place], suite[each.of].id, f"is {each.similarity:.0%} the same as it")


def _refuse(row: Example | Pair | Unpaired, task_id: str | None, why: str) -> None:
    if task_id is not None:
        raise ContaminationError(
            f"training row {row.id!r} is within reach of the suite's task {task_id!r}: it {why}; "
            "take the row out, or give the task another side of the split"
        )
