"""Schema: does a call's arguments satisfy the tool's own JSON schema?

Schemas come from traces: they are data. References are never fetched, and a schema that is
itself unusable accepts any arguments, since it is no evidence against the agent.
"""

from functools import lru_cache

import orjson
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError, best_match
from jsonschema.protocols import Validator
from jsonschema.validators import validator_for
from pydantic import JsonValue
from referencing import Registry
from referencing.exceptions import Unresolvable

from tracemill.ingest.trace import ToolCall, ToolSpec


def call_problem(call: ToolCall, tools: tuple[ToolSpec, ...]) -> str | None:
    """Return why the call cannot be made with these tools, in words; None where it can."""
    tool = tool_named(call.name, tools)
    if tool is None:
        return f"no tool is named {call.name!r}"
    arguments = call.parsed()
    if arguments is None:
        return f"the arguments of {call.name} are no JSON object"
    problem = schema_problem(tool, arguments)
    return None if problem is None else f"{call.name}: {problem}"


def tool_named(name: str, tools: tuple[ToolSpec, ...]) -> ToolSpec | None:
    """Return the tool of this name, or None."""
    return next((tool for tool in tools if tool.name == name), None)


def schema_problem(tool: ToolSpec, arguments: dict[str, JsonValue]) -> str | None:
    """Return what of the arguments breaks the tool's schema, or None."""
    if is_plainly_valid(tool.parameters, arguments):
        return None
    validator = _validator(orjson.dumps(tool.parameters, option=orjson.OPT_SORT_KEYS))
    if validator is None:
        return None
    try:
        worst = best_match(validator.iter_errors(arguments))
    except (Unresolvable, RecursionError):
        return None
    return None if worst is None else _in_words(worst)


_PLAIN_OBJECT = frozenset(
    {"type", "properties", "required", "additionalProperties", "title", "description"}
)
_PLAIN_PROPERTY = frozenset({"type", "title", "description", "default", "examples"})
_PYTHON_TYPES: dict[str, type] = {"string": str, "boolean": bool, "integer": int}


def is_plainly_valid(schema: dict[str, JsonValue], arguments: dict[str, JsonValue]) -> bool:
    """Return whether flat arguments satisfy a flat schema, as most do; False where one must look
    closer. It saves the general validator, which is some ten times slower."""
    properties, required = schema.get("properties"), schema.get("required", [])
    if not schema.keys() <= _PLAIN_OBJECT or schema.get("type") != "object":
        return False
    if not isinstance(properties, dict) or not isinstance(required, list):
        return False
    return all(name in arguments for name in required) and all(
        _is_plain_value(properties.get(name), value) for name, value in arguments.items()
    )


def _is_plain_value(schema: JsonValue, value: JsonValue) -> bool:
    if not isinstance(schema, dict) or not schema.keys() <= _PLAIN_PROPERTY:
        return False
    wanted = _PYTHON_TYPES.get(str(schema.get("type")))
    return wanted is not None and type(value) is wanted


def _in_words(error: ValidationError) -> str:
    """The error without the value at fault: claims with equal words belong together."""
    place = ".".join(str(part) for part in error.absolute_path if not isinstance(part, int))
    where = f" of {place!r}" if place else ""
    found = _names(error.instance)
    if error.validator == "required":
        missing = sorted(_names(error.validator_value) - found)
        return f"required argument missing{where}: {', '.join(missing)}"
    if error.validator == "additionalProperties" and isinstance(error.schema, dict):
        extra = sorted(found - _names(error.schema.get("properties", {})))
        return f"unknown argument{where}: {', '.join(extra)}"
    return f"argument {place!r} breaks {error.validator!r}: {_short(error.validator_value)}"


def _names(value: object) -> set[str]:
    """The keys of an object, or the texts of a list."""
    return {str(name) for name in value} if isinstance(value, dict | list) else set()


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


@lru_cache(maxsize=1024)
def _validator(schema: bytes) -> Validator | None:
    """The schema's validator; built once, since a night's traces share a few schemas."""
    loaded = orjson.loads(schema)
    kind = validator_for(loaded, default=Draft202012Validator)
    try:
        kind.check_schema(loaded)
    except SchemaError:
        return None
    return kind(loaded, registry=Registry())
