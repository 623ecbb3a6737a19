"""Judged: a language model reads the trace against a rubric. Off unless a team asks for it.

The judge is any ChatModel, as a local model or an OpenAI-compatible endpoint is one. What the
trace says is quoted to it as data between marks that the text cannot contain.
"""

import re
from collections.abc import Iterator

from tracemill.curation.chat import ChatModel
from tracemill.curation.chat_endpoint import ChatEndpoint
from tracemill.curation.detectors.reading import Claim, Detector, Reading
from tracemill.curation.judge import ask, question
from tracemill.curation.shape import first_line
from tracemill.curation.trace_judge import TraceJudge
from tracemill.errors import ModelUnavailableError
from tracemill.record import content_id

_VERDICT = re.compile(r"\b(PASS|FAIL)\b\W*(.*)", re.DOTALL)


def judge_detector(judge: ChatModel, rubric: str) -> Detector:
    """Return a detector that claims what the judge says breaks the rubric.

    Its version is the hash of rubric and judge. `find` raises ModelUnavailableError where the
    judge gives no verdict: a silent judge would read as a clean trace.
    """
    digest = content_id("judge", [rubric, judge.ref.label]).removeprefix("judge-")

    def find(reading: Reading) -> Iterator[Claim]:
        if reading.assistant_steps:
            yield from _ask(judge, rubric, reading)

    return Detector("judged", int(digest[:7], 16), "agent", 0.5, "outcome", find)


def detector_of(settings: TraceJudge) -> Detector:
    """Return the detector of the judge that these settings name."""
    judge = ChatEndpoint(
        settings.url, settings.model, key_variable=settings.key_variable, seconds=settings.seconds
    )
    return judge_detector(judge, settings.rubric)


def _ask(judge: ChatModel, rubric: str, reading: Reading) -> Iterator[Claim]:
    completion = ask(judge, _question(rubric, reading), max_tokens=200)
    said = (completion.message.content if completion.message else None) or ""
    verdict = _VERDICT.search(said)
    if verdict is None:
        raise ModelUnavailableError(
            f"the judge {judge.ref.label!r} gave no verdict on trace {reading.trace.id!r} "
            f"({completion.error or first_line(said) or completion.finish_reason}): "
            "mend it or leave it out, then mine again"
        )
    if verdict.group(1) == "FAIL":
        yield Claim(None, f"the judge: {first_line(verdict.group(2)) or 'fail'}", rubric)


def _question(rubric: str, reading: Reading) -> str:
    lines = [
        f"[{message.role}] {message.content or ''} "
        + " ".join(f"{call.name}({call.arguments})" for call in message.tool_calls)
        for message in reading.trace.messages
    ]
    wanted = "Answer PASS, or FAIL and in one sentence what broke the rubric."
    return question(rubric, "\n".join(lines), wanted)
