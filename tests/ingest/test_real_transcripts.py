"""Every recorded trace comes out as its recording says, message by message and field by field."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.ingest.reading import traces_of
from tests.ingest.real import read
from tests.ingest.told import Told, like, redacted
from tests.ingest.told_benchmarks import (
    agentdojo,
    intercode,
    tau2_bench,
    tau_bench,
    tau_resilience,
)
from tests.ingest.told_langfuse import langfuse, langfuse_files
from tests.ingest.told_logs import nemo_gym, openhands
from tests.ingest.told_spans import langsmith, vercel

READERS: dict[str, Callable[[Path], Iterator[Told]]] = {
    "langfuse": langfuse,
    "tau-bench": tau_bench,
    "tau-bench-resilience": tau_resilience,
    "tau2-bench": tau2_bench,
    "agentdojo": agentdojo,
    "intercode": intercode,
    "nemo-gym": nemo_gym,
    "openhands": openhands,
    "langsmith": langsmith,
    "openinference": vercel,
}
"""Set (as in tests/ingest/real.py) → what its recordings say, in their order."""


@pytest.mark.parametrize("name", READERS)
def test_each_trace_says_what_its_recording_says(name: str, real_traces: Path) -> None:
    expected = [redacted(told) for told in READERS[name](real_traces)]

    traces = read(real_traces, name)

    assert len(traces) == len(expected)
    wrong = [
        (told, found)
        for told, trace in zip(expected, traces, strict=True)
        if (found := like(told, trace)) != told
    ]
    assert wrong[:1] == []


def test_each_of_the_eleven_frameworks_recordings_is_whole_alone(real_traces: Path) -> None:
    files = list(langfuse_files(real_traces))

    assert len(files) == 11
    for path, told in files:
        (trace,) = traces_of([path.read_bytes()])
        expected = redacted(told)
        assert like(expected, trace) == expected, path.name
        assert (trace.sub_agents, trace.unplaced) == ((), None)
