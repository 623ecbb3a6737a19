"""Messages from any JSON that means a conversation.

OpenAI chat, the parts of the OTel GenAI conventions, Anthropic's blocks, LangChain's wrappers,
Vercel's and Gemini's parts differ in names only, so one reader knows them all: a message has a
role and a content; its content is text, or parts by type; calls and results stand beside the
content or among the parts.
"""

from collections.abc import Iterable
from typing import Any

from pydantic import JsonValue, TypeAdapter

from tracemill.ingest.envelopes import is_offer, unpacked
from tracemill.ingest.message_parts import PARTS, Fields, MessageBuilder, text_of
from tracemill.ingest.trace import Message, Role

ROLES: dict[str, Role] = {
    "system": "system", "developer": "system", "instruction": "system", "systemmessage": "system",
    "user": "user", "human": "user", "humanmessage": "user", "input": "user",
    "assistant": "assistant", "ai": "assistant", "aimessage": "assistant", "model": "assistant",
    "aimessagechunk": "assistant", "agent": "assistant", "gpt": "assistant", "output": "assistant",
    "tool": "tool", "function": "tool", "toolmessage": "tool", "ipython": "tool",
    "functionmessage": "tool", "observation": "tool", "tool_result": "tool",
}  # fmt: skip
"""Other names of the four roles, in lower case."""

CONTENTS = ("content", "parts", "blocks", "text")
"""Keys under which the content of a message lies: OpenAI's, Gemini's, LlamaIndex' and a bare part's."""

_CHECKED = TypeAdapter(tuple[Message, ...])
"""Checks many messages at once, twice as fast as one by one."""
USUAL_ROLES = frozenset(("system", "user", "assistant", "tool"))


def read_messages(raw: JsonValue, *, role: Role = "user") -> tuple[Message, ...]:
    """Return the messages that `raw` means; a bare text is one of `role`.

    Raises TypeError, KeyError or ValueError if it means none.
    """
    items = unpacked(raw)
    usual = [_usual(item) for item in items]
    if None not in usual:
        return _CHECKED.validate_python(usual)
    messages: list[Message] = []
    for item, fields in zip(items, usual, strict=True):
        if fields is not None:
            messages.append(Message(**fields))
        elif not is_offer(item):
            item_role = "tool" if _speaks_as_tool(item, messages) else role
            _extend(messages, _read(item, item_role), is_bare="role" not in item)
    return tuple(messages)


def _usual(item: Any) -> Fields | None:
    """Return the fields of a message of one GenAI part, many times faster; None of another kind."""
    if not isinstance(item, dict) or len(item) > 4 or item.get("name") is not None:
        return None
    role, parts = item.get("role"), item.get("parts")
    if role not in USUAL_ROLES or not isinstance(parts, list) or len(parts) != 1:
        return None
    part = parts[0]
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == "text":
        text = part.get("content")
        is_said = isinstance(text, str) and role != "tool"
        return {"role": role, "content": text} if is_said else None
    if kind == "tool_call" and role == "assistant":
        arguments = part.get("arguments")
        text = arguments if isinstance(arguments, str) else text_of(arguments or {})
        call = {"id": str(part.get("id") or ""), "name": str(part["name"]), "arguments": text}
        return {"role": role, "tool_calls": (call,)}
    answer = part.get("response") if kind == "tool_call_response" else None
    if isinstance(answer, str) and item["role"] == "tool" and isinstance(part.get("id"), str):
        return {"role": role, "content": answer, "tool_call_id": part["id"]}
    return None


def _speaks_as_tool(item: Any, before: Iterable[Message]) -> bool:
    """Whether its role is the name of a tool that was called (LangGraph in JavaScript)."""
    role = item.get("role") if isinstance(item, dict) else None
    if role is None or role in ROLES:
        return False
    return any(c.name == role for m in before for c in m.tool_calls)


def _extend(messages: list[Message], new: Iterable[Message], *, is_bare: bool) -> None:
    """Add messages; a call that stands alone joins the assistant's turn before it."""
    for message in new:
        before = messages[-1] if messages else None
        if (
            is_bare and before is not None and before.role == message.role == "assistant"
            and message.tool_calls and message.content is None
        ):  # fmt: skip
            calls = before.tool_calls + message.tool_calls
            messages[-1] = before.model_copy(update={"tool_calls": calls})
        else:
            messages.append(message)


def _read(item: Any, role: Role) -> Iterable[Message]:
    if isinstance(item, str):
        return [Message(role=role, content=item)]
    fields = _unwrapped(item)
    kind = str(fields.get("type") or "").lower()
    if "role" not in fields and kind in PARTS and kind not in ("text", "refusal"):
        return _lone_part(kind, fields)
    if "role" not in fields and "toolName" in fields:
        return _lone_part("tool_call", fields)
    builder = MessageBuilder(_role(fields, kind, role), fields)
    builder.take_content(next((fields[key] for key in CONTENTS if key in fields), None))
    builder.take_parts(fields.get("parts") if "content" in fields else None)
    more = fields.get("additional_kwargs") or {}
    calls = fields.get("tool_calls") or fields.get("toolCalls") or more.get("tool_calls")
    for call in calls or ():
        builder.take_call(call)
    legacy = fields.get("function_call") or more.get("function_call")
    if legacy and not calls:  # LangChain repeats Gemini's in both forms
        builder.take_call(legacy)
    if fields.get("refusal") and not fields.get("content"):
        builder.take_content(fields["refusal"])
    return builder.messages()


def _role(fields: Fields, kind: str, role: Role) -> Role:
    """Return the role; a result that names its call is a tool's, whatever role it is given."""
    named = str(fields.get("role") or kind or role).lower().removeprefix("messagerole.")
    if named not in ROLES and fields.get("tool_call_id"):
        return "tool"
    return ROLES.get(named, role)


def _lone_part(kind: str, part: Fields) -> Iterable[Message]:
    """Read a part that stands where a message does (OpenAI's Responses)."""
    builder = MessageBuilder("assistant", {})
    PARTS[kind](builder, part)
    return [] if builder.is_empty else builder.messages()


def _unwrapped(item: Fields) -> Fields:
    """Return the fields of a message inside LangChain's two wrappers, or in a choice."""
    if isinstance(item.get("kwargs"), dict) and isinstance(item.get("id"), list):
        return {**item["kwargs"], "role": item["id"][-1], "type": None}
    if isinstance(item.get("data"), dict) and "content" in item["data"]:
        return {**item["data"], "role": item.get("type")}
    if isinstance(item.get("message"), dict) and "role" not in item:
        return dict(item["message"])
    return item
