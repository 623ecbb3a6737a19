"""Injected instruction: a tool's reply tries to tell the agent what to do.

Whether the agent obeyed or not, such a trace is quarantined: nothing of it is trained on.
"""

import re
from collections.abc import Iterator

from tracemill.curation.detectors.reading import Claim, Reading

_INJECTION = re.compile(
    r"(?:ignore|disregard|forget) (?:all |any )?(?:of )?(?:the |your |my )?(?:previous|prior|above|earlier)"
    r" (?:instructions?|prompts?|messages?|directions?)"
    r"|<information>\s|important message from me|before you can solve the task"
    r"|(?:new|updated|system) instructions? (?:for you|for the (?:ai|assistant|model))\b"
    r"|you are now (?:in )?(?:developer|dan|unrestricted|jailbroken)"
    r"|\bdo not (?:tell|inform|mention (?:this|it) to) the user\b",
    re.IGNORECASE,
)

_WORDS = (
    "instruction", "prompt", "message", "direction", "<information>", "before you can solve",
    "you are now", "the user",
)  # fmt: skip
"""One of them stands in every text that the pattern matches; looking for it is cheaper."""


def find_injected_instructions(reading: Reading) -> Iterator[Claim]:
    """Yield one claim for each tool reply that holds such words."""
    for made in reading.calls:
        content = (made.reply.content if made.reply else None) or ""
        lowered = content.casefold()
        if not any(word in lowered for word in _WORDS):
            continue
        found = _INJECTION.search(content)
        if found:
            evidence = content[max(0, found.start() - 80) : found.end() + 240]
            text = f"a reply of {made.call.name} holds an instruction to the agent"
            yield Claim(made.step, text, evidence, made.call.name)
