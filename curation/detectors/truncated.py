"""Truncated: the model was cut at its token limit. A limit to raise, never a wrong answer."""

from collections.abc import Iterator

from tracemill.curation.detectors.reading import Claim, Reading


def find_truncated(reading: Reading) -> Iterator[Claim]:
    """Yield one claim for each assistant message that was cut."""
    for step in reading.trace.steps:
        if step.finish_reason == "length":
            tokens = step.completion_tokens
            evidence = "finish reason: length" if tokens is None else f"cut after {tokens} tokens"
            yield Claim(step.message, "the answer was cut at the token limit", evidence)
