"""Envelopes: the messages and tools inside a provider's request or response.

Which request or response it is shows in its keys: OpenAI's chat completions and Responses,
Anthropic's messages, Gemini's contents, LangChain's generations, or a bare prompt.
"""

import re
from collections.abc import Callable
from typing import Any

import orjson

from tracemill.ingest.tools import read_tools
from tracemill.ingest.trace import ToolSpec

Fields = dict[str, Any]

SPOKEN = re.compile(r"^(system|user|assistant|tool): ", re.MULTILINE)
"""A conversation written down as lines that begin with who speaks."""
WRAPPERS = ("message", "output", "response", "result")
"""Keys under which a conversation, or an answer, lies alone."""


def unpacked(raw: Any) -> list[Any]:
    """Return the things in `raw` that may be messages, in order."""
    if isinstance(raw, str):
        return _from_text(raw)
    if isinstance(raw, list):
        return [item for one in raw for item in (unpacked(one) if isinstance(one, list) else [one])]
    if isinstance(raw, dict):
        return _from_object(raw)
    return [] if raw is None else [raw]


def _from_text(text: str) -> list[Any]:
    if text[:1] in ("[", "{"):
        try:
            return unpacked(orjson.loads(text))
        except orjson.JSONDecodeError:
            return [text]
    if SPOKEN.match(text):
        pieces = SPOKEN.split(text)[1:]
        turns = zip(pieces[::2], pieces[1::2], strict=True)
        return [{"role": role, "content": content.rstrip("\n")} for role, content in turns]
    return [text]


def _from_object(raw: Fields) -> list[Any]:
    if "role" in raw or "kwargs" in raw:
        return [raw]
    for key, kind, open_it in ENVELOPES:
        if isinstance(raw.get(key), kind):
            return open_it(raw)
    for name in WRAPPERS:
        if isinstance(raw.get(name), dict | list) and len(raw) <= 2:
            return unpacked(raw[name])
    return [raw]


def _chat(raw: Fields) -> list[Any]:
    return [*_system(raw.get("system")), *unpacked(raw["messages"])]


def _gemini(raw: Fields) -> list[Any]:
    config = raw.get("config") or {}
    system = config.get("system_instruction", raw.get("systemInstruction"))
    asked = raw["contents"]
    return [*_system(system), *(asked if isinstance(asked, list) else [asked])]


def _candidates(raw: Fields) -> list[Any]:
    return [candidate.get("content") for candidate in raw["candidates"][:1]]


def _converse(raw: Fields) -> list[Any]:
    """Bedrock's answer; others keep whatever they answered under this name."""
    if isinstance(raw["output"].get("message"), dict):
        return [raw["output"]["message"]]
    return unpacked(raw["output"]) if len(raw) <= 2 else [raw]


def _choices(raw: Fields) -> list[Any]:
    return [choice.get("message") for choice in raw["choices"][:1]]


def _generations(raw: Fields) -> list[Any]:
    first = raw["generations"][0] if raw["generations"] else []
    first = first[0] if isinstance(first, list) and first else first
    return [first] if first else []


def _responses(raw: Fields) -> list[Any]:
    return list(raw.get("output") or ()) if raw["object"] == "response" else [raw]


def _responses_request(raw: Fields) -> list[Any]:
    return [*_system(raw["instructions"]), *unpacked(raw.get("input"))]


def _prompted(raw: Fields) -> list[Any]:
    asked = raw["prompt"]
    asked = [{"role": "user", "content": asked}] if isinstance(asked, str) else asked
    return [*_system(raw.get("system")), *asked]


def _content(raw: Fields) -> list[Any]:
    return [raw["content"]]


ENVELOPES: tuple[tuple[str, type, Callable[[Fields], list[Any]]], ...] = (
    ("messages", list, _chat),
    ("contents", list, _gemini),
    ("contents", str, _gemini),
    ("candidates", list, _candidates),
    ("choices", list, _choices),
    ("generations", list, _generations),
    ("object", str, _responses),
    ("instructions", str, _responses_request),
    ("prompt", str, _prompted),
    ("prompt", list, _prompted),
    ("content", dict, _content),
    ("output", dict, _converse),
)
"""A key that gives an envelope away, the kind of its value, and how to open it."""


def _system(raw: Any) -> list[Any]:
    if not raw:
        return []
    if isinstance(raw, dict):
        return [{**raw, "role": "system"}]
    return [{"role": "system", "content": raw}]


def tools_in(raw: Any) -> tuple[ToolSpec, ...]:
    """Return the tools that a request offers; none if it offers none, or is no request."""
    if isinstance(raw, str) and raw[:1] in ("[", "{"):
        try:
            raw = orjson.loads(raw)
        except orjson.JSONDecodeError:
            return ()
    if isinstance(raw, dict):
        config = raw.get("config")
        inner = config.get("tools") if isinstance(config, dict) else None
        converse = raw.get("toolConfig")
        bedrock = converse.get("tools") if isinstance(converse, dict) else None
        return read_tools(raw.get("tools") or inner or raw.get("functions") or bedrock or [])
    if isinstance(raw, list):
        offers = [item["content"] for item in raw if is_offer(item)]
        return read_tools(offers)
    return ()


def is_offer(item: Any) -> bool:
    """Whether a "message" is the schema of a tool: Langfuse shows LangChain's tools so."""
    if not isinstance(item, dict) or item.get("role") != "tool":
        return False
    content = item.get("content")
    return isinstance(content, dict) and content.get("type") == "function"
