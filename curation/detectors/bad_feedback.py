"""Bad feedback: somebody said that the agent did wrong."""

from collections.abc import Iterator

from tracemill.curation.detectors.reading import Claim, Reading
from tracemill.ingest.trace import Feedback

_BY = {"user": "a user", "expert": "an expert", "judge": "a judge", "code": "a check"}


def find_bad_feedback(reading: Reading) -> Iterator[Claim]:
    """Yield one claim for each judgement with a score below 0.5 or a correction."""
    for said in reading.trace.feedback:
        if said.retracted or not _is_bad(said):
            continue
        tool = _wanted_tool(said)
        wanted = f", {tool} was wanted" if tool else ""
        evidence = said.comment or said.label or f"{said.name}: {said.score}"
        yield Claim(
            said.step, f"bad feedback from {_BY[said.source]}: {said.name}{wanted}", evidence, tool
        )


def _is_bad(said: Feedback) -> bool:
    return said.correction is not None or (said.score is not None and said.score < 0.5)


def _wanted_tool(said: Feedback) -> str | None:
    if said.correction is None or not said.correction.tool_calls:
        return None
    return said.correction.tool_calls[0].name
