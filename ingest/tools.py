"""The tools that were offered, from any form in which they are written down."""

from collections.abc import Iterator
from typing import Any

import orjson

from tracemill.ingest.trace import ToolSpec


def read_tools(raw: Any) -> tuple[ToolSpec, ...]:
    """Return the tools of a list in OpenAI's, Anthropic's or OTel's form, or its JSON text.

    What is no tool with a name (a text cut short, a built-in tool) is left out.
    """
    if isinstance(raw, str):
        try:
            raw = orjson.loads(raw)
        except orjson.JSONDecodeError:
            return ()
    if isinstance(raw, dict):
        read = (
            (name, _parsed(spec) if isinstance(spec, str) else spec) for name, spec in raw.items()
        )
        raw = [{"name": name, **spec} for name, spec in read if isinstance(spec, dict)]
    specs = [_read(item) for item in _declared(raw)] if isinstance(raw, list) else []
    return tuple(spec for spec in specs if spec is not None)


def _declared(raw: list[Any]) -> Iterator[Any]:
    """Yield the tools, those in Gemini's groups one by one."""
    for item in raw:
        group = item.get("function_declarations") if isinstance(item, dict) else None
        if isinstance(group, list):
            yield from group
        else:
            yield item


def _read(item: Any) -> ToolSpec | None:
    if isinstance(item, str):
        item = _parsed(item)
    if not isinstance(item, dict):
        return None
    function = item.get("function", item.get("toolSpec"))
    inner: dict[str, Any] = function if isinstance(function, dict) else item
    name = inner.get("name")
    schema: dict[str, Any] = next(
        (inner[key] for key in ("parameters", "input_schema", "inputSchema", "args_schema")
         if isinstance(inner.get(key), dict)),
        {},
    )  # fmt: skip
    if not isinstance(name, str) or not name:
        return None
    return ToolSpec(
        name=name,
        description=str(inner.get("description") or ""),
        parameters=schema.get("jsonSchema", schema.get("json", schema)),
    )


def _parsed(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
