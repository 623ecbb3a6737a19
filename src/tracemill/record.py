"""Record: the base of everything that is written down (Trace … ModelVersion)."""

import hashlib
from typing import Self

import orjson
from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A frozen record: checked once where it enters, trusted afterwards."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def to_json(self) -> str:
        """Return the record as compact JSON; `from_json` reads it back."""
        return self.model_dump_json()

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Return the record that `to_json` wrote; pydantic's ValidationError if it is another."""
        return cls.model_validate_json(text)


def content_id(prefix: str, content: object) -> str:
    """Return `prefix-` and 16 hex digits of the SHA-256 of `content` as canonical JSON.

    >>> content_id("t", {"b": 1, "a": 2}) == content_id("t", {"a": 2, "b": 1})
    True
    """
    canonical = orjson.dumps(content, option=orjson.OPT_SORT_KEYS)
    return f"{prefix}-{hashlib.sha256(canonical).hexdigest()[:16]}"
