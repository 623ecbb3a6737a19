"""The commented tracemill.toml of `tracemill init`, written from the settings themselves.

Keys, defaults and comments are those of the code, so the file can never be out of date.
"""

import ast
import inspect
import json
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from tracemill.settings import Settings, models_in

HEADER = """\
# Tracemill's settings. Every key is here with its default: change what differs, delete the rest.
# Environment variables win over this file: TRACEMILL_KAFKA__BOOTSTRAP_SERVERS, and so on.
# Relative paths are relative to this file.
"""
MAPPING = """
# Traces in JSON of your own: name the fields, as dotted paths. For a topic "agent-logs":
# [ingest.topics.agent-logs.mapping]
# id = "request_id"
# messages = "messages"
# model = "model"
# user = "customer.id"
# reward = "score"
"""
WIDTH = 96


def settings_template() -> str:
    """Return the file: TOML that loads as the defaults."""
    sections = (
        "\n".join(_section(name, getattr(Settings(), name))) for name in Settings.model_fields
    )
    return HEADER + "\n" + "\n\n".join(sections) + "\n" + MAPPING


def _section(name: str, options: BaseModel) -> Iterator[str]:
    yield from _comment(inspect.getdoc(type(options)) or "")
    yield f"[{name}]"
    comments = field_docstrings(type(options))
    inner = []
    tables = []
    for key in type(options).model_fields:
        value = getattr(options, key)
        if isinstance(value, BaseModel):
            inner.append((f"{name}.{key}", value))
            continue
        if value == () and models_in(type(options).model_fields[key].annotation):
            tables.append(key)
            continue
        yield from _comment(comments.get(key, ""))
        yield _assignment(key, value)
    for key in tables:
        yield ""
        yield from _comment(comments.get(key, ""))
        yield f"# [[{name}.{key}]]"
    for path, section in inner:
        yield ""
        yield from _section(path, section)


def _assignment(key: str, value: object) -> str:
    if value is None:
        return f"# {key} ="
    if value == {}:
        return f"# {key} = {{}}"
    return f"{key} = {_to_toml(value)}"


def _to_toml(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(_to_toml(item) for item in value)}]"
    return json.dumps(str(value) if isinstance(value, Path) else value)


def _comment(text: str) -> Iterator[str]:
    said = " ".join(text.split()).replace("None:", "left out:")
    for line in textwrap.wrap(said, WIDTH):
        yield f"# {line}"


def field_docstrings(model: type[Any]) -> dict[str, str]:
    """Return the string below each field of the class, by the field's name."""
    body = ast.parse(textwrap.dedent(inspect.getsource(model))).body[0]
    if not isinstance(body, ast.ClassDef):
        return {}
    return {
        field.target.id: str(after.value.value)
        for field, after in zip(body.body, body.body[1:], strict=False)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(after, ast.Expr)
        and isinstance(after.value, ast.Constant)
    }
