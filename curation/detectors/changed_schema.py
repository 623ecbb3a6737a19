"""Changed schema: a tool takes other arguments than it did before."""

from collections.abc import Iterator

import orjson
from pydantic import JsonValue

from tracemill.curation.detectors.reading import Claim, TraceClaim
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store


def find_changed_schemas(store: Store, since: int) -> Iterator[TraceClaim]:
    """Yield one claim for each change, at the first trace that has it, with what changed."""
    rows = store.execute(statement(__file__, "changed_schema"), [since])
    for trace_id, tool, former, schema in rows:
        changes = "; ".join(changes_between(orjson.loads(former), orjson.loads(schema)))
        yield TraceClaim(
            trace_id, Claim(None, f"the schema of {tool} changed: {changes}", schema, tool)
        )


def changes_between(former: JsonValue, schema: JsonValue) -> tuple[str, ...]:
    """Return in words which arguments of a tool's JSON schema came, went or changed."""
    before, after = _properties(former), _properties(schema)
    came = sorted(after.keys() - before.keys())
    went = sorted(before.keys() - after.keys())
    other = sorted(name for name in before.keys() & after.keys() if before[name] != after[name])
    said = [f"{name} is new" for name in came] + [f"{name} is gone" for name in went]
    said += [f"{name} has another schema" for name in other]
    need = sorted(_required(schema) - _required(former) - set(came))
    may = sorted(_required(former) - _required(schema) - set(went))
    said += [f"{name} is required" for name in need] + [f"{name} is optional" for name in may]
    return tuple(said) or ("something beside its arguments",)


def _properties(schema: JsonValue) -> dict[str, JsonValue]:
    found = schema.get("properties") if isinstance(schema, dict) else None
    return found if isinstance(found, dict) else {}


def _required(schema: JsonValue) -> set[str]:
    found = schema.get("required") if isinstance(schema, dict) else None
    return {str(name) for name in found} if isinstance(found, list) else set()
