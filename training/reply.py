"""Read what a model wrote back into a Message, by the tokenizer's response template.

Training (TRL) and evaluation read replies with the same parser of transformers, so that both mean
the same by "a tool call". A call that is malformed is no call: its text stays as content.
"""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tracemill.ingest.trace import FinishReason, Message, ToolCall

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


def read_reply(
    tokenizer: "PreTrainedTokenizerBase",
    token_ids: Sequence[int],
    *,
    prompt_ids: Sequence[int],
    first_call: int = 0,
) -> Message:
    """Return the assistant message that these tokens spell.

    `first_call` numbers its calls on from those of the conversation: ids are `call_0`, `call_1`, …
    """
    try:
        parsed = tokenizer.parse_response(list(token_ids), prefix=list(prompt_ids))
        calls = tuple(_call(call, first_call + i) for i, call in enumerate(_calls_of(parsed)))
    except (ValueError, TypeError, KeyError):
        return Message(role="assistant", content=_text(tokenizer, token_ids))
    content = str(parsed.get("content") or "").removesuffix(str(tokenizer.eos_token)).strip()
    return Message(role="assistant", content=content, tool_calls=calls)


def finish_reason(message: Message, *, is_ended: bool) -> FinishReason:
    """Return why the reply ends where it does; without its end token it was cut."""
    if not is_ended:
        return "length"
    return "tool" if message.tool_calls else "stop"


def _calls_of(parsed: dict[str, Any] | None) -> list[dict[str, Any]]:
    if parsed is None:
        raise ValueError("the parser found no message")
    return parsed.get("tool_calls") or []


def _call(call: dict[str, Any], number: int) -> ToolCall:
    function = call["function"]
    # A call without arguments is a call of a function that takes none, as TRL reads it.
    name, arguments = function["name"], function.get("arguments") or {}
    if not isinstance(name, str) or not isinstance(arguments, dict):
        raise TypeError("a call needs a name and an object of arguments")
    return ToolCall(
        id=f"call_{number}", name=name, arguments=json.dumps(arguments, ensure_ascii=False)
    )


def _text(tokenizer: "PreTrainedTokenizerBase", token_ids: Sequence[int]) -> str:
    return str(tokenizer.decode(list(token_ids), skip_special_tokens=True)).strip()
