"""One conversation in all dialects is one trace, whole, field by field."""

from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.ingest.conversation_dialects import DIALECTS, TOPICS
from tests.ingest.conversation_gaps import GAPS
from tests.ingest.reading import traces_of
from tracemill.ingest.dialects.table import DIALECTS as READ
from tracemill.ingest.trace import Trace

EXPECTED = Path(__file__).parent.parent / "conversation_trace.json"


def read(dialect: str) -> Trace:
    (trace,) = traces_of(DIALECTS[dialect](), TOPICS.get(dialect))
    return trace


def leaves(value: Any, path: str = "") -> dict[str, Any]:
    """Each value by its path; what is None or empty stands nowhere."""
    if isinstance(value, dict):
        inner = [(str(key), below) for key, below in value.items()]
    elif isinstance(value, list):
        inner = [(_place(below, index), below) for index, below in enumerate(value)]
    else:
        return {} if value is None else {path: value}
    return {
        name: leaf
        for key, below in inner
        for name, leaf in leaves(below, f"{path}.{key}" if path else key).items()
    }


def _place(element: Any, index: int) -> str:
    """A step is named by its message, so that one that is missing does not shift the others."""
    is_step = isinstance(element, dict) and "message" in element
    return str(element["message"] if is_step else index)


def differences(dialect: str) -> dict[str, Any]:
    """Path → what the trace has there where it is not what it should be."""
    expected = leaves(orjson.loads(EXPECTED.read_bytes()))
    expected["dialect"] = dialect.partition(" (")[0]
    found = leaves(orjson.loads(read(dialect).to_json()))
    paths = sorted(expected.keys() | found.keys())
    return {p: found.get(p) for p in paths if found.get(p) != expected.get(p)}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_whole_trace_is_the_same_in_every_dialect_but_for_what_its_wire_lacks(
    dialect: str,
) -> None:
    gaps = GAPS.get(dialect, {})
    unexplained = {
        path: value
        for path, value in differences(dialect).items()
        if not any(fnmatchcase(path, gap) and gaps[gap].instead == value for gap in gaps)
    }

    assert unexplained == {}


@pytest.mark.parametrize("dialect", GAPS)
def test_what_a_wire_is_said_to_lack_is_lacking(dialect: str) -> None:
    found = differences(dialect)

    assert [gap for gap in GAPS[dialect] if not any(fnmatchcase(p, gap) for p in found)] == []
    assert all(gap.reason for gap in GAPS[dialect].values())


def test_every_dialect_that_is_read_is_among_them() -> None:
    written = {name.partition(" (")[0] for name in DIALECTS}

    assert {dialect.name for dialect in READ} <= written


@pytest.mark.parametrize("dialect", DIALECTS)
def test_each_call_counts_once_in_the_usage(dialect: str) -> None:
    usage = read(dialect).usage

    counted = (usage.calls, usage.prompt_tokens, usage.completion_tokens)
    assert counted in {
        (2, 151, 21),  # both calls
        (1, 151, 21),  # the run's span alone
        (1, 90, 6),  # the last response alone
        (0, None, None),
    }
