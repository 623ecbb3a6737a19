"""Trace judge: the settings of a language model that reads every new trace by a rubric."""

from pydantic import Field

from tracemill.record import Record


class TraceJudge(Record):
    """A judge behind an OpenAI-compatible endpoint; what breaks its rubric is a finding."""

    rubric: str = Field(min_length=1)
    url: str = Field(pattern=r"^https?://")
    """Of the endpoint, often ending in /v1."""
    model: str
    key_variable: str | None = None
    """The environment variable that holds the endpoint's key; the key itself is not written down."""
    seconds: float = Field(default=60.0, gt=0)
    """That an answer may take."""
