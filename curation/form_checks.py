"""Form checks: those that the messages of a rollout alone decide, by how they are written.

Patterns are a team's own, matched against a bounded part of a text.
"""

import re
from collections.abc import Sequence

from pydantic import JsonValue

from tracemill.curation.arguments import arguments_match, words_of
from tracemill.curation.calls import calls_of
from tracemill.curation.check_result import CheckResult
from tracemill.curation.task import (
    AnswerCheck,
    ArgumentMatch,
    FinalAnswerCheck,
    LimitCheck,
    MatchedCallCheck,
    NoErrorCheck,
)
from tracemill.ingest.trace import Message

FormCheck = MatchedCallCheck | AnswerCheck | FinalAnswerCheck | NoErrorCheck | LimitCheck

_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
_MOST_CHARS = 20_000


def run_form(
    check: FormCheck, messages: Sequence[Message], completion_tokens: int | None = None
) -> CheckResult:
    """Return the check's result on what the rollout added to the prompt.

    `completion_tokens` are those of its assistant messages, where they were counted.
    """
    match check:
        case MatchedCallCheck():
            return _matched_call(check, messages)
        case AnswerCheck():
            return _answer(check, last_answer(messages))
        case FinalAnswerCheck():
            return _final_answer(check, last_answer(messages))
        case NoErrorCheck():
            return _no_error(messages)
        case LimitCheck():
            return _limit(check, messages, completion_tokens)


def _matched_call(check: MatchedCallCheck, messages: Sequence[Message]) -> CheckResult:
    name = f"matched_call {check.tool}"
    calls = [call for message in messages for call in message.tool_calls if call.name == check.tool]
    failures = [_mismatches(check, call.parsed() or {}) for call in calls]
    if any(not failed for failed in failures):
        return CheckResult(check=name, passed=True)
    fewest = min(failures, key=len, default=())
    detail = (
        f"differs in {', '.join(fewest)}" if fewest else f"wanted {check.tool}, found no call of it"
    )
    return CheckResult(check=name, passed=False, detail=detail)


def _mismatches(check: MatchedCallCheck, found: dict[str, JsonValue]) -> tuple[str, ...]:
    """Names of the arguments that are not as they must be."""
    named = {match.name for match in check.matches}
    wrong = [m.name for m in check.matches if m.name not in found or not _matches(m, found[m.name])]
    others = [] if check.allows_others else sorted(found.keys() - named)
    return (*wrong, *others)


def _matches(match: ArgumentMatch, found: JsonValue) -> bool:
    match match.how:
        case "any":
            return True
        case "near":
            return _is_near(match, found)
        case "set":
            return _is_same_set(match.value, found)
        case "pattern":
            return re.fullmatch(str(match.value), str(found)[:_MOST_CHARS]) is not None
        case "equal":
            return arguments_match({"value": match.value}, {"value": found})


def _is_near(match: ArgumentMatch, found: JsonValue) -> bool:
    try:
        return abs(float(str(found)) - float(str(match.value))) <= match.tolerance
    except ValueError:
        return False


def _is_same_set(wanted: JsonValue, found: JsonValue) -> bool:
    """Whether two lists hold the same, in any order and each as often."""
    if not isinstance(wanted, list) or not isinstance(found, list) or len(wanted) != len(found):
        return False
    left = list(found)
    for each in wanted:
        at = next((i for i, other in enumerate(left) if _is_equal(each, other)), None)
        if at is None:
            return False
        del left[at]
    return True


def _is_equal(wanted: JsonValue, found: JsonValue) -> bool:
    return arguments_match({"value": wanted}, {"value": found})


def last_answer(messages: Sequence[Message]) -> str:
    """Return the last message's text if it is an answer: no tool call is left open after it."""
    if not messages or messages[-1].role != "assistant" or messages[-1].tool_calls:
        return ""
    return (messages[-1].content or "")[:_MOST_CHARS]


def _answer(check: AnswerCheck, answer: str) -> CheckResult:
    words = words_of(answer)
    passed = bool(words) and words_of(check.contains) in words
    detail = "" if passed else f"wanted {check.contains!r} in the answer, found {words[:200]!r}"
    return CheckResult(check="answer", passed=passed, detail=detail)


def _final_answer(check: FinalAnswerCheck, answer: str) -> CheckResult:
    passed = bool(answer.strip()) and _is_final(check, answer)
    detail = "" if passed else f"wanted {check.how} {check.value!r}, found {answer[:200]!r}"
    return CheckResult(check=f"final_answer {check.how}", passed=passed, detail=detail)


def _is_final(check: FinalAnswerCheck, answer: str) -> bool:
    match check.how:
        case "equal":
            return words_of(answer) == words_of(check.value)
        case "pattern":
            return re.search(check.value, answer, re.IGNORECASE) is not None
        case "number":
            wanted = float(check.value.replace(",", ""))
            found = (float(text.replace(",", "")) for text in _NUMBER.findall(answer))
            return any(abs(number - wanted) <= check.tolerance for number in found)


def _no_error(messages: Sequence[Message]) -> CheckResult:
    errors = [made.error for made in calls_of(messages) if made.error is not None]
    return CheckResult(check="no_error", passed=not errors, detail="; ".join(errors)[:400])


def _limit(
    check: LimitCheck, messages: Sequence[Message], completion_tokens: int | None
) -> CheckResult:
    said = [message for message in messages if message.role == "assistant"]
    tokens = _estimated_tokens(said) if completion_tokens is None else completion_tokens
    calls = sum(len(message.tool_calls) for message in said)
    taken = ((check.max_steps, len(said)), (check.max_calls, calls), (check.max_tokens, tokens))
    passed = all(most is None or count <= most for most, count in taken)
    detail = "" if passed else f"{len(said)} steps, {calls} calls and {tokens} tokens"
    return CheckResult(check="limit", passed=passed, detail=detail)


def _estimated_tokens(said: Sequence[Message]) -> int:
    """One for each four bytes of what was written, rounded up."""
    texts = [message.content or "" for message in said]
    texts += [call.name + call.arguments for message in said for call in message.tool_calls]
    return -(-sum(len(text.encode()) for text in texts) // 4)
