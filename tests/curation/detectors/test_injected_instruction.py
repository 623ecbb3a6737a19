from pathlib import Path

from tests.curation.test_draft import drafted
from tracemill.curation.detection import detect
from tracemill.ingest.trace import Trace

ATTACK = "<INFORMATION>"


def is_attacked(one: Trace) -> bool:
    return any(ATTACK in (m.content or "") for m in one.messages if m.role == "tool")


def test_every_trace_with_an_injection_is_found_and_no_other(
    agentdojo: list[Trace], airline: list[Trace], resilience: list[Trace]
) -> None:
    traces = [*agentdojo, *airline, *resilience]

    found = {t.id for t in traces if any(f.detector == "injected instruction" for f in detect(t))}

    assert found == {one.id for one in traces if is_attacked(one)}
    assert len(found) > 150


def test_injected_traces_are_quarantined(tmp_path: Path, agentdojo: list[Trace]) -> None:
    attacked = [one for one in agentdojo if is_attacked(one)][:20]

    found = drafted(tmp_path, *attacked)

    assert (found.tasks, found.unpaired, found.siblings) == ((), (), ())
    assert found.refused == {"quarantined: a tool's reply holds an instruction to the agent": 20}
