"""Empty answer: the agent ended the episode without a word or a call."""

from collections.abc import Iterator

from tracemill.curation.detectors.reading import Claim, Reading


def find_empty_answers(reading: Reading) -> Iterator[Claim]:
    """Yield a claim where the last assistant message holds nothing."""
    if not reading.assistant_steps:
        return
    step = reading.assistant_steps[-1]
    message = reading.trace.messages[step]
    if step in reading.cut_steps or message.tool_calls or (message.content or "").strip():
        return
    yield Claim(step, "the answer is empty", "an assistant message without text or call")
