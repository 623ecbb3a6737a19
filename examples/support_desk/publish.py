"""Publish: what was served goes to Kafka, traces to one topic and opinions to another."""

from collections.abc import Iterable

from examples.support_desk.agent import Served
from examples.support_desk.telemetry import to_otlp
from examples.support_desk.users import Opinion
from tracemill.ingest.topic import Producer

TRACES = "agent-traces"
FEEDBACK = "agent-feedback"


def publish(bootstrap_servers: str, served: Iterable[Served], opinions: Iterable[Opinion]) -> int:
    """Return how many records the broker has taken; SourceUnavailableError where it does not."""
    with Producer(bootstrap_servers) as producer:
        for one in served:
            producer.send(TRACES, to_otlp(one), key=one.trace_id.encode())
        for opinion in opinions:
            producer.send(FEEDBACK, opinion.to_json().encode(), key=opinion.trace_id.encode())
        return producer.flush()
