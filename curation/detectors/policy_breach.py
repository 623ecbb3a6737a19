"""Policy breach: the agent did what the team's own rules forbid."""

import re
from collections.abc import Iterator, Sequence

from tracemill.curation.detectors.reading import Claim, Detector, Reading
from tracemill.curation.policy import (
    ForbiddenText,
    PolicyRule,
    RequiredBefore,
    RequiredConfirmation,
)
from tracemill.curation.shape import first_line
from tracemill.record import content_id


def policy_detector(rules: Sequence[PolicyRule]) -> Detector:
    """Return the detector of these rules; its version is their hash, so new rules read all again."""
    digest = content_id("rules", [rule.model_dump() for rule in rules]).removeprefix("rules-")

    def find(reading: Reading) -> Iterator[Claim]:
        for rule in rules:
            yield from _breaches(rule, reading)

    return Detector("policy breach", int(digest[:7], 16), "policy", 0.9, "step", find)


def _breaches(rule: PolicyRule, reading: Reading) -> Iterator[Claim]:
    match rule:
        case ForbiddenText():
            yield from _texts(rule, reading)
        case RequiredBefore():
            yield from _orders(rule, reading)
        case RequiredConfirmation():
            yield from _confirmations(rule, reading)


def _texts(rule: ForbiddenText, reading: Reading) -> Iterator[Claim]:
    pattern = re.compile(rule.pattern, re.IGNORECASE)
    for step in reading.assistant_steps:
        content = reading.trace.messages[step].content or ""
        found = pattern.search(content)
        if found:
            yield Claim(step, f"{rule.name}: the agent wrote what it may not", found.group())


def _orders(rule: RequiredBefore, reading: Reading) -> Iterator[Claim]:
    for made in reading.calls:
        if made.call.name == rule.first and made.has_succeeded:
            return
        if made.call.name == rule.tool:
            text = f"{rule.name}: {rule.tool} was called before {rule.first}"
            yield Claim(made.step, text, made.call.arguments, rule.tool)


def _confirmations(rule: RequiredConfirmation, reading: Reading) -> Iterator[Claim]:
    pattern = re.compile(rule.pattern, re.IGNORECASE)
    for made in reading.calls:
        if made.call.name != rule.tool:
            continue
        spoken = [index for index in reading.user_steps if index < made.step]
        said = (reading.trace.messages[spoken[-1]].content or "") if spoken else ""
        if not pattern.search(said):
            text = f"{rule.name}: {rule.tool} was called without the user's confirmation"
            yield Claim(made.step, text, first_line(said), rule.tool)
