"""Tool error: a tool refused what the agent asked of it."""

import re
from collections.abc import Iterator

from tracemill.curation.detectors.reading import Claim, Reading
from tracemill.curation.schema import tool_named
from tracemill.curation.shape import first_line

_PREFIX = re.compile(
    r"\s*(?:#?\s*\w+\s*=\s*)?[\"']?(?:(?:tool )?error(?: executing tool \S+)?\s*[:\-]\s*)?",
    re.IGNORECASE,
)
_BODY = re.compile(r'^\{\s*"(?:error|message|detail)"\s*:\s*"((?:[^"\\]|\\.)*)"')


def find_tool_errors(reading: Reading) -> Iterator[Claim]:
    """Yield one claim for each call that its tool refused; outages and unknown tools are others'."""
    tools = reading.trace.tools
    for made in reading.calls:
        if made.error is None or made.met_an_outage or made.arguments is None:
            continue
        if tools and tool_named(made.call.name, tools) is None:
            continue
        text = f"{made.call.name}: {error_words(made.error)}"
        yield Claim(made.step, text, made.error, made.call.name)


def error_words(error: str) -> str:
    """Return the error's first line without the word "Error" and quotes around it."""
    body = _BODY.match(error.strip())
    line = first_line(body.group(1) if body else error)
    return _PREFIX.sub("", line, count=1).strip().rstrip("\"'") or line
