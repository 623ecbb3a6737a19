"""A broker and a night's traffic for the flows' tests, made once."""

from collections.abc import Iterator

import pytest

from tests.fixtures.tiny_world import TINY_AGENT
from tests.flows.tiny_company import load_agent, serve
from tracemill.ingest.embedded_broker import start_broker
from tracemill.ingest.topic import create_topics
from tracemill.ingest.trace import ModelRef


@pytest.fixture(scope="session")
def busy_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A broker on which a day's traffic of the tiny agent lies."""
    with start_broker(tmp_path_factory.mktemp("broker")) as broker:
        create_topics(broker.address, ["agent-traces", "agent-feedback", "quiet"])
        agent = load_agent(TINY_AGENT, ModelRef(name="tiny-desk", version="1"))
        serve(broker.address, agent, seed=1, count=360)
        yield broker.address
