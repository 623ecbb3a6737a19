"""ShareGPT: a conversation of {"from", "value"}; calls are JSON text, and nothing has an id.

Source: LLaMA-Factory data/README.md. `kto_tag` is a thumb on the whole conversation.
"""

from typing import Any

import orjson

from tracemill.errors import InvalidRecordError
from tracemill.ingest.decoded import Context, Decoded
from tracemill.ingest.decoders.chat import episode, usual_mapping
from tracemill.ingest.messages import ROLES, read_messages
from tracemill.ingest.trace import Feedback, Message

Fields = dict[str, Any]


def is_sharegpt(value: Fields) -> bool:
    """Whether it is a conversation in that form."""
    turns = value.get("conversations")
    return (
        isinstance(turns, list)
        and bool(turns)
        and isinstance(turns[0], dict)
        and "from" in turns[0]
    )


def decode_sharegpt(value: Fields, context: Context) -> Decoded:
    """Return the trace of a conversation, and its thumb if it has one."""
    turns = [_turn(turn) for turn in value["conversations"]]
    system = [{"role": "system", "content": value["system"]}] if value.get("system") else []
    messages: tuple[Message, ...] = read_messages([*system, *turns])
    if not messages:
        raise InvalidRecordError("a conversation without turns")
    made = episode(value, messages, usual_mapping(value), context, "sharegpt")
    decoded = Decoded("sharegpt", episodes=[made])
    if isinstance(value.get("kto_tag"), bool):
        decoded.feedback.append(
            Feedback(
                id=f"{made.trace.id}-kto",
                target=made.trace.id,
                name="kto_tag",
                score=float(value["kto_tag"]),
                created_at=context.record_time,
            )
        )
    return decoded


def _turn(turn: Fields) -> Fields:
    speaker, said = str(turn["from"]).lower(), turn["value"]
    if speaker == "function_call":
        calls = orjson.loads(said) if isinstance(said, str) else said
        calls = calls if isinstance(calls, list) else [calls]
        return {"role": "assistant", "content": None, "tool_calls": calls}
    if speaker not in ROLES:
        raise InvalidRecordError(f"a turn of {speaker!r}, who is nobody we know")
    return {"role": ROLES[speaker], "content": said}
