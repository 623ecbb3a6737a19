"""Real recorded runs, read once for all tests of curation."""

from pathlib import Path

import pytest

from tests.ingest.reading import traces_of
from tests.ingest.real import SETS, read
from tracemill.ingest.trace import ModelRef, Trace


@pytest.fixture(scope="session")
def airline(real_traces: Path) -> list[Trace]:
    """tau-bench: 200 airline episodes of gpt-4o."""
    return read(real_traces, "tau-bench")


@pytest.fixture(scope="session")
def resilience(real_traces: Path) -> list[Trace]:
    """115 retail episodes of grok-3, with 123 injected 503s."""
    return read(real_traces, "tau-bench-resilience")


@pytest.fixture(scope="session")
def agentdojo(real_traces: Path) -> list[Trace]:
    """637 episodes of three models, 249 of them under attack."""
    return read(real_traces, "agentdojo")


@pytest.fixture(scope="session")
def tau2(real_traces: Path) -> list[Trace]:
    """tau2-bench: 150 episodes of gpt-4.1 and qwen2.5, each file of one model."""
    pattern, options = SETS["tau2-bench"]
    return [
        one.model_copy(update={"model": ModelRef(name=file.name.split("_")[0])})
        for file in sorted(real_traces.glob(pattern))
        for one in traces_of([file.read_bytes()], options)
    ]
