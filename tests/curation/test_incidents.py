from datetime import timedelta
from pathlib import Path

from tests.curation.conversations import DAY, calls, reply, trace, user
from tests.curation.kept import keep
from tracemill.curation.incidents import incidents
from tracemill.curation.mine import mine
from tracemill.ingest.store import Store
from tracemill.ingest.trace import Trace


def down(minute: int, *, text: str = "Error: 503 Service Unavailable") -> Trace:
    moment = DAY + timedelta(minutes=minute)
    made = trace(
        user("x"), calls("refund_order", order_id=1), reply(text), id_=f"t{minute}-{text[-4:]}"
    )
    return made.model_copy(update={"started_at": moment, "ended_at": moment})


def test_outages_close_together_are_one_incident_and_single_ones_are_none(tmp_path: Path) -> None:
    burst = [down(minute) for minute in (0, 3, 9, 15, 16)]
    later = [down(minute) for minute in (300, 301)]
    other = [down(minute, text="Error: HTTP 429") for minute in (1, 2, 3)]

    with Store(tmp_path / "store.duckdb") as store:
        keep(store, [*burst, *later, *other])
        mine(store, now=DAY)
        found = incidents(store)

    assert [(one.claim, one.tool, one.traces) for one in found] == [
        ("refund_order: Error: 503 Service Unavailable", "refund_order", 5)
    ]
    assert found[0].last_seen_at - found[0].first_seen_at == timedelta(minutes=16)
