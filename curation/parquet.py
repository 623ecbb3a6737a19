"""Parquet: frozen records as files that anything reads, and that come out equal byte for byte.

Plain fields are columns of their own type; nested ones are JSON text, since Arrow would merge
the keys of different tool calls into one struct and fill the gaps with nulls.
"""

from collections.abc import Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from tracemill.record import Record

R = TypeVar("R", bound=Record)

_PLAIN: dict[object, pa.DataType] = {
    str: pa.string(), bool: pa.bool_(), int: pa.int64(), float: pa.float64()
}  # fmt: skip


def write_records(path: Path, kind: type[R], records: Sequence[R]) -> None:
    """Write the records in their order; equal records give equal bytes."""
    plain = _plain_fields(kind)
    rows = [record.model_dump(mode="json") for record in records]
    columns = {
        name: pa.array(
            [row[name] if name in plain else orjson.dumps(row[name]).decode() for row in rows],
            type=plain.get(name, pa.string()),
        )
        for name in kind.model_fields
    }
    pq.write_table(pa.table(columns), path, compression="zstd")


def read_records(path: Path, kind: type[R]) -> tuple[R, ...]:
    """Return the records of the file in their order."""
    plain = _plain_fields(kind)
    return tuple(
        kind.model_validate_json(
            orjson.dumps(
                {
                    name: value if name in plain else orjson.Fragment(value)
                    for name, value in row.items()
                }
            )
        )
        for row in pq.read_table(path).to_pylist()
    )


def _plain_fields(kind: type[Record]) -> dict[str, pa.DataType]:
    """The fields that are one plain value each, with their column types."""
    found = {name: _plain_type(field.annotation) for name, field in kind.model_fields.items()}
    return {name: column for name, column in found.items() if column is not None}


def _plain_type(annotation: Any) -> pa.DataType | None:
    if get_origin(annotation) is UnionType:
        others = [part for part in get_args(annotation) if part is not NoneType]
        return _plain_type(others[0]) if len(others) == 1 else None
    if get_origin(annotation) is Literal:
        return pa.string()
    return _PLAIN.get(annotation)
