"""MessageBuilder: one message of the wire, gathered from its content, its parts and its calls."""

from collections.abc import Callable, Iterator
from typing import Any

import orjson

from tracemill.ingest.trace import Message, Role, ToolCall

CALLS = ("function", "functionCall", "function_call", "toolUse")
"""Keys under which a call lies: OpenAI's, Gemini's two and Bedrock's."""
CALL_IDS = ("call_id", "toolCallId", "tool_call_id", "id", "toolUseId")
RESULTS = ("functionResponse", "function_response", "toolResult")
RESULT_IDS = ("tool_call_id", "call_id", "tool_use_id", "toolCallId", "id", "toolUseId")
"""Keys of a result under which the id of its call lies; the first that is there."""

Fields = dict[str, Any]


class MessageBuilder:
    """One message of the wire: its own text and calls, and the results that it carries."""

    def __init__(self, role: Role, fields: Fields) -> None:
        self._role = role
        self._fields = fields
        self._texts: list[str] = []
        self._calls: list[ToolCall] = []
        self._results: list[Message] = []

    def take_content(self, content: Any) -> None:
        """Take the content: a text, or parts."""
        if isinstance(content, str):
            self._texts.append(content)
        elif isinstance(content, dict):
            self.take_parts([content])
        else:
            self.take_parts(content)

    def take_parts(self, parts: Any) -> None:
        """Take parts of any kind in `PARTS`."""
        for part in parts or ():
            if isinstance(part, str):
                self._texts.append(part)
            else:
                kind = _part_kind(part)
                PARTS.get(kind, MessageBuilder.take_other)(self, part)

    def take_text(self, part: Fields) -> None:
        """Take a part that is text."""
        text = part.get("text", part.get("content"))
        self._texts.append(text if isinstance(text, str) else text_of(text))

    def take_nothing(self, part: Fields) -> None:
        """Reasoning is no part of what was said."""

    def take_other(self, part: Fields) -> None:
        """Take a part of a kind that is no text, as its type in brackets."""
        self._texts.append(f"[{part.get('type', 'part')}]")

    def take_call(self, call: Fields) -> None:
        """Take a call, whatever its fields are called."""
        inner = _first(call, *CALLS) or call
        if isinstance(inner, str):
            inner = {**call, "name": inner}
        name = _first(inner, "name", "toolName", "tool_name") or ""
        call_id = _first(call, *CALL_IDS) or _first(inner, *CALL_IDS)
        arguments = _first(inner, "arguments", "args", "input", "tool_kwargs")
        self._calls.append(
            ToolCall(
                id=str(call_id or ""),
                name=str(name),
                arguments=arguments if isinstance(arguments, str) else text_of(arguments or {}),
            )
        )

    def take_result(self, part: Fields) -> None:
        """Take the result of a call, which becomes a message of its own."""
        inner = _first(part, *RESULTS) or part
        content = _first(inner, "response", "result", "output", "content")
        if "toolResult" in part:
            content = _typed(content)
        error = _first(inner, "is_error", "isError")
        if error is None and inner.get("status") in ("success", "error"):  # Bedrock
            error = inner["status"] == "error"
        call_id = _call_id(part) or _call_id(inner)
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
        """Whether nothing was taken."""
        return not (self._texts or self._calls or self._results)

    def messages(self) -> Iterator[Message]:
        """Yield the results, then the message itself if it says anything (or nothing else does)."""
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
        call_id = _call_id(self._fields)
        error = _first(self._fields, "is_error", "isError", "error")
        if error is None and self._fields.get("status") == "error":
            error = True
        if isinstance(error, str | dict):  # what went wrong, which the model was told
            text, error = text or text_of(error), bool(error) or None
        return Message(
            role="tool",
            content=text,
            tool_call_id=None if call_id is None else str(call_id),
            name=self._fields.get("name"),
            is_error=error if isinstance(error, bool) else None,
        )


Take = Callable[[MessageBuilder, Fields], None]
PARTS: dict[str, Take] = {
    **dict.fromkeys(("text", "input_text", "output_text", "refusal"), MessageBuilder.take_text),
    **dict.fromkeys(
        ("reasoning", "thinking", "redacted_thinking", "step-start", "thought"),
        MessageBuilder.take_nothing,
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
        MessageBuilder.take_call,
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
        MessageBuilder.take_result,
    ),
}
"""What the parts of a content are, by type. Others leave their type in brackets."""


def _part_kind(part: Fields) -> str:
    """Return the type of a part; Gemini's and Bedrock's have none but a key."""
    if kind := part.get("type") or part.get("block_type"):
        return str(kind)
    if any(key in part for key in CALLS):
        return "function_call"
    if any(key in part for key in RESULTS):
        return "function_response"
    return "text" if "text" in part else "other"


def _first(fields: Fields, *names: str) -> Any:
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def _typed(content: Any) -> Any:
    """Return the parts of a result of Bedrock's as others write them: with a type."""
    if not isinstance(content, list):
        return content
    texts = (part.get("text", part.get("json")) for part in content)
    return [{"type": "text", "text": text_of(text)} for text in texts if text is not None]


def _call_id(fields: Fields) -> Any:
    """Return the id of the call that a result answers; some write an empty one."""
    return next((fields[name] for name in RESULT_IDS if fields.get(name) not in (None, "")), None)


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
