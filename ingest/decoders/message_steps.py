"""Message steps: what chat logs say of a model call beside the message that it wrote.

Benchmarks keep usage, cost and time in each assistant's message (tau2-bench); gateways keep those
of the last call beside its response (LiteLLM, OpenHands).
"""

from collections.abc import Sequence
from typing import Any

from pydantic import JsonValue

from tracemill.ingest.decoders.paths import value_at
from tracemill.ingest.finish import finish_reason
from tracemill.ingest.times import read_time
from tracemill.ingest.trace import Message, Step

Fields = dict[str, Any]
COSTS = ("cost", "response_cost", "response.usage.cost", "usage.cost")
"""Where logs keep what a call cost, in US dollars."""


def steps_in(raw: JsonValue, messages: Sequence[Message]) -> tuple[Step, ...]:
    """Return a step for each assistant message whose raw form has its usage.

    `raw` is what `messages` were read from; where they do not stand one for one, there is none.
    """
    if not isinstance(raw, list) or len(raw) != len(messages):
        return ()
    return tuple(
        _step(fields, index)
        for index, (fields, message) in enumerate(zip(raw, messages, strict=True))
        if message.role == "assistant"
        and isinstance(fields, dict)
        and fields.get("role") == "assistant"
        and isinstance(fields.get("usage"), dict)
    )


def _step(fields: Fields, index: int) -> Step:
    used, made = tokens_in(fields["usage"])
    finish = fields.get("finish_reason") or value_at(fields, "raw_data.finish_reason")
    return Step(
        message=index,
        ended_at=read_time(fields.get("timestamp")),
        prompt_tokens=used,
        completion_tokens=made,
        cost_usd=_number(fields.get("cost")),
        finish_reason=finish_reason(finish),
    )


def last_step(value: JsonValue, index: int) -> Step | None:
    """Return what a log's response says of the message at `index`, its last; None if nothing."""
    usage: Fields = value_at(value, "usage") or value_at(value, "response.usage") or {}
    finish = value_at(value, "choices.0.finish_reason") or value_at(
        value, "response.choices.0.finish_reason"
    )
    if not (usage or finish):
        return None
    used, made = tokens_in(usage)
    cost = next(
        (cost for path in COSTS if (cost := _number(value_at(value, path))) is not None), None
    )
    return Step(
        message=index,
        prompt_tokens=used,
        completion_tokens=made,
        cost_usd=cost,
        finish_reason=finish_reason(finish),
    )


def tokens_in(usage: Fields) -> tuple[int | None, int | None]:
    """Return the prompt's and the completion's tokens, by OpenAI's names or by Responses'."""
    return (
        usage.get("prompt_tokens", usage.get("input_tokens")),
        usage.get("completion_tokens", usage.get("output_tokens")),
    )


def _number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and value >= 0 else None
