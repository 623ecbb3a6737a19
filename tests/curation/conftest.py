"""Real recorded runs, read once for all tests of curation."""

from pathlib import Path

import pytest

from tests.ingest.real import read
from tracemill.ingest.trace import Trace


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
