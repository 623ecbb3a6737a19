"""Messages from any JSON that means a conversation.

OpenAI chat, the parts of the OTel GenAI conventions, Anthropic's blocks, LangChain's wrappers,
Vercel's and Gemini's parts differ in names only, so one reader knows them all: a message has a
role and a content; its content is text, or parts by type; calls and results stand beside the
content or among the parts.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import orjson
from pydantic import JsonValue

from tracemill.ingest.envelopes import is_offer, unpacked
from tracemill.ingest.trace import Message, Role, ToolCall

ROLES: dict[str, Role] = {
    "system": "system", "developer": "system", "instruction": "system", "systemmessage": "system",
    "user": "user", "human": "user", "humanmessage": "user", "input": "user",
    "assistant": "assistant", "ai": "assistant", "aimessage": "assistant", "model": "assistant",
    "aimessagechunk": "assistant", "agent": "assistant", "gpt": "assistant", "output": "assistant",
    "tool": "tool", "function": "tool", "toolmessage": "tool", "ipython": "tool",
    "functionmessage": "tool", "observation": "tool", "tool_result": "tool",
}  # fmt: skip
"""Other names of the four roles, in lower case."""

USUAL_ROLES = frozenset(("system", "user", "assistant", "tool"))
RESULT_IDS = ("tool_call_id", "call_id", "tool_use_id", "toolCallId", "id")
"""Keys of a result under which the id of its call lies; the first that is there."""

Fields = dict[str, Any]


def read_messages(raw: JsonValue, *, role: Role = "user") -> tuple[Message, ...]:
    """Return the messages that `raw` means; a bare text is one of `role`.

    Raises TypeError, KeyError or ValueError if it means none.
    """
    messages: list[Message] = []
    for item in unpacked(raw):
        if (usual := _usual(item)) is not None:
            messages.append(usual)
        elif not is_offer(item):
            item_role = "tool" if _speaks_as_tool(item, messages) else role
            _extend(messages, _read(item, item_role), is_bare="role" not in item)
    return tuple(messages)


def _usual(item: Any) -> Message | None:
    """Return the message of one GenAI part, many times faster; None if it is another kind."""
    if not isinstance(item, dict) or len(item) > 4 or item.get("role") not in USUAL_ROLES:
        return None
    parts = item.get("parts")
    if not isinstance(parts, list) or len(parts) != 1 or item.get("name") is not None:
        return None
    part = parts[0]
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == "text" and isinstance(part.get("content"), str) and item["role"] != "tool":
        return Message(role=item["role"], content=part["content"])
    if kind == "tool_call" and item["role"] == "assistant":
        arguments = part.get("arguments")
        text = arguments if isinstance(arguments, str) else text_of(arguments or {})
        call = ToolCall(id=str(part.get("id") or ""), name=str(part["name"]), arguments=text)
        return Message(role="assistant", tool_calls=(call,))
    answer = part.get("response") if kind == "tool_call_response" else None
    if isinstance(answer, str) and item["role"] == "tool" and isinstance(part.get("id"), str):
        return Message(role="tool", content=answer, tool_call_id=part["id"])
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
    builder = _Builder(_role(fields, kind, role), fields)
    builder.take_content(fields.get("content", fields.get("parts")))
    builder.take_parts(fields.get("parts") if "content" in fields else None)
    more = fields.get("additional_kwargs") or {}
    calls = fields.get("tool_calls") or fields.get("toolCalls") or more.get("tool_calls")
    for call in calls or ():
        builder.take_call(call)
    if legacy := fields.get("function_call") or more.get("function_call"):
        builder.take_call(legacy)
    if fields.get("refusal") and not fields.get("content"):
        builder.take_content(fields["refusal"])
    return builder.messages()


def _role(fields: Fields, kind: str, role: Role) -> Role:
    """Return the role; a result that names its call is a tool's, whatever role it is given."""
    named = str(fields.get("role") or kind or role).lower()
    if named not in ROLES and fields.get("tool_call_id"):
        return "tool"
    return ROLES.get(named, role)


def _lone_part(kind: str, part: Fields) -> Iterable[Message]:
    """Read a part that stands where a message does (OpenAI's Responses)."""
    builder = _Builder("assistant", {})
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


class _Builder:
    """One message of the wire: its own text and calls, and the results that it carries."""

    def __init__(self, role: Role, fields: Fields) -> None:
        self._role = role
        self._fields = fields
        self._texts: list[str] = []
        self._calls: list[ToolCall] = []
        self._results: list[Message] = []

    def take_content(self, content: Any) -> None:
        if isinstance(content, str):
            self._texts.append(content)
        elif isinstance(content, dict):
            self.take_parts([content])
        else:
            self.take_parts(content)

    def take_parts(self, parts: Any) -> None:
        for part in parts or ():
            if isinstance(part, str):
                self._texts.append(part)
            else:
                kind = _part_kind(part)
                PARTS.get(kind, _Builder.take_other)(self, part)

    def take_text(self, part: Fields) -> None:
        text = part.get("text", part.get("content"))
        self._texts.append(text if isinstance(text, str) else text_of(text))

    def take_nothing(self, part: Fields) -> None:
        """Reasoning is no part of what was said."""

    def take_other(self, part: Fields) -> None:
        self._texts.append(f"[{part.get('type', 'part')}]")

    def take_call(self, call: Fields) -> None:
        inner = (
            call.get("function") or call.get("functionCall") or call.get("function_call") or call
        )
        if isinstance(inner, str):
            inner = {**call, "name": inner}
        name = _first(inner, "name", "toolName", "tool_name") or ""
        call_id = _first(call, "call_id", "toolCallId", "tool_call_id", "id") or inner.get("id")
        arguments = _first(inner, "arguments", "args", "input")
        self._calls.append(
            ToolCall(
                id=str(call_id or ""),
                name=str(name),
                arguments=arguments if isinstance(arguments, str) else text_of(arguments or {}),
            )
        )

    def take_result(self, part: Fields) -> None:
        inner = part.get("functionResponse") or part.get("function_response") or part
        content = _first(inner, "response", "result", "output", "content")
        error = _first(part, "is_error", "isError")
        call_id = _first(part, *RESULT_IDS)
        self._results.append(
            Message(
                role="tool",
                content=result_text(content),
                tool_call_id=None if call_id is None else str(call_id),
                name=_first(inner, "name", "toolName"),
                is_error=error if isinstance(error, bool) else None,
            )
        )

    @property
    def is_empty(self) -> bool:
        return not (self._texts or self._calls or self._results)

    def messages(self) -> Iterator[Message]:
        yield from self._results
        text = "\n".join(self._texts) if self._texts else None
        if self._role == "tool":
            if text is not None or not self._results:
                yield self._tool_message(text)
        elif text is not None or self._calls or not self._results:
            name = self._fields.get("name")
            yield Message(
                role=self._role,
                # beside calls some write nothing, some an empty text
                content=text or None if self._calls else text,
                tool_calls=tuple(self._calls),
                name=name if isinstance(name, str) and name else None,
            )

    def _tool_message(self, text: str | None) -> Message:
        call_id = _first(self._fields, *RESULT_IDS)
        error = _first(self._fields, "is_error", "isError", "error")
        if error is None and self._fields.get("status") == "error":
            error = True
        return Message(
            role="tool",
            content=text,
            tool_call_id=None if call_id is None else str(call_id),
            name=self._fields.get("name"),
            is_error=error if isinstance(error, bool) else None,
        )


_Take = Callable[[_Builder, Fields], None]
PARTS: dict[str, _Take] = {
    **dict.fromkeys(("text", "input_text", "output_text", "refusal"), _Builder.take_text),
    **dict.fromkeys(
        ("reasoning", "thinking", "redacted_thinking", "step-start", "thought"),
        _Builder.take_nothing,
    ),
    **dict.fromkeys(
        (
            "tool_call",
            "tool-call",
            "tool_use",
            "function_call",
            "server_tool_use",
            "custom_tool_call",
        ),
        _Builder.take_call,
    ),
    **dict.fromkeys(
        (
            "tool_call_response",
            "tool-result",
            "tool_result",
            "function_response",
            "function_call_output",
            "custom_tool_call_output",
            "tool_response",
        ),
        _Builder.take_result,
    ),
}
"""What the parts of a content are, by type. Others leave their type in brackets."""


def _part_kind(part: Fields) -> str:
    """Return the type of a part; Gemini's have none but a key."""
    if kind := part.get("type"):
        return str(kind)
    if "functionCall" in part or "function_call" in part:
        return "function_call"
    if "functionResponse" in part or "function_response" in part:
        return "function_response"
    return "text" if "text" in part else "other"


def _first(fields: Fields, *names: str) -> Any:
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def text_of(value: Any) -> str:
    """Return a text as it is, and other JSON as compact JSON."""
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def result_text(content: Any) -> str:
    """Return what a tool result says: text, the texts of its parts, or JSON."""
    if isinstance(content, dict):
        if isinstance(content.get("value"), str) and "type" in content:
            return str(content["value"])
        if isinstance(content.get("content"), str | list) and _is_message(content):
            return result_text(content["content"])
    if isinstance(content, list) and content and all(isinstance(p, dict) for p in content):
        texts = [p["text"] for p in content if p.get("type") == "text" and "text" in p]
        if len(texts) == len(content):
            return "\n".join(texts)
    return "" if content is None else text_of(content)


def _is_message(content: Fields) -> bool:
    """Whether a result is a whole tool message, or only its content."""
    return len(content) == 1 or content.get("type") == "tool" or content.get("role") == "tool"
