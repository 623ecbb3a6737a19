"""History: the moves of the champion alias, each entry bound to the one before it.

Kept as numbered tags of the registered model, so it survives wherever MLflow's database does. An
entry holds the digest of its predecessor: one that was changed or taken out breaks the chain.
"""

import hashlib
import json
from collections.abc import Mapping

from pydantic import ValidationError

from tracemill.deploy.version import AliasMove
from tracemill.errors import RegistryError
from tracemill.record import Record

PREFIX = "alias.history."


class _Entry(Record):
    move: AliasMove
    after: str
    """Digest of the entry before; empty for the first."""


def read_history(tags: Mapping[str, str]) -> tuple[AliasMove, ...]:
    """Return the moves in the registered model's tags, in order.

    Raises RegistryError where an entry is missing, unreadable, or not the one that was written.
    """
    moves, before = [], ""
    keys = sorted(key for key in tags if key.startswith(PREFIX))
    for number, key in enumerate(keys, start=1):
        entry = _parse(key, tags[key])
        if key != _key(number) or entry.after != before:
            raise RegistryError(f"the alias history was altered at {key!r}: do not trust it")
        moves.append(entry.move)
        before = _digest(tags[key])
    return tuple(moves)


def next_entry(tags: Mapping[str, str], move: AliasMove) -> tuple[str, str]:
    """Return the tag, key and value, that appends a move to the history in these tags."""
    number = len(read_history(tags)) + 1
    before = _digest(tags[_key(number - 1)]) if number > 1 else ""
    return _key(number), _Entry(move=move, after=before).to_json()


def _key(number: int) -> str:
    return f"{PREFIX}{number:05}"


def _parse(key: str, text: str) -> _Entry:
    try:
        return _Entry.from_json(text)
    except ValidationError as error:
        raise RegistryError(f"the alias history cannot be read at {key!r}") from error


def _digest(text: str) -> str:
    canonical = json.dumps(json.loads(text), sort_keys=True)
    return hashlib.sha256(canonical.encode()).hexdigest()
