"""Thumbs: judgements that no pair could be made of, as rows for KTO.

A judgement speaks of the step that it names, else of the only step that made calls, else of the
last answer. A step that a task mends already is left to its pair.
"""

from collections.abc import Collection

from tracemill.curation.detectors.reading import Reading
from tracemill.curation.rows import Unpaired
from tracemill.curation.split import group_of
from tracemill.curation.task import TraceRef
from tracemill.ingest.trace import Feedback
from tracemill.record import content_id


def thumbs_of(reading: Reading, *, mended: Collection[int]) -> tuple[Unpaired, ...]:
    """Return a row for each judgement of a trace; `mended` are steps with tasks."""
    rows = [_row(said, reading, mended) for said in reading.trace.feedback]
    return tuple(row for row in rows if row is not None)


def _row(said: Feedback, reading: Reading, mended: Collection[int]) -> Unpaired | None:
    step = _judged_step(said, reading)
    if said.score is None or said.score == 0.5 or said.retracted or step is None:
        return None
    if step in mended or step in reading.cut_steps:
        return None
    trace = reading.trace
    calls = trace.messages[step].tool_calls
    return Unpaired(
        id=content_id("unpaired", [trace.id, trace.revision, step, said.id]),
        prompt=trace.messages[:step],
        tools=trace.tools,
        completion=trace.messages[step],
        is_good=said.score > 0.5,
        slice=calls[0].name if calls else "answer",
        group=group_of(trace),
        feedback_id=said.id,
        sources=(TraceRef(trace_id=trace.id, revision=trace.revision),),
    )


def _judged_step(said: Feedback, reading: Reading) -> int | None:
    if said.step is not None:
        return said.step if said.step in reading.assistant_steps else None
    calling = sorted({made.step for made in reading.calls})
    if len(calling) == 1:
        return calling[0]
    last = reading.assistant_steps[-1:]
    return last[0] if last and not reading.trace.messages[last[0]].tool_calls else None
