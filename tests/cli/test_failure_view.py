from pathlib import Path

from rich.console import Console

from tests.curation.conversations import DAY, calls, reply, says, trace, user
from tests.curation.kept import keep
from tracemill.cli.failure_view import render_failures
from tracemill.curation.failure_report import failure_overview
from tracemill.curation.mine import mine
from tracemill.ingest.store import Store


def test_each_mode_is_shown_with_its_id_and_an_example_where_that_says_more(tmp_path: Path) -> None:
    with Store(tmp_path / "store.duckdb") as store:
        keep(
            store,
            [
                trace(user("refund 332"), calls("refund_order", order_id=33),
                      reply("Error: order 33 not found"), says("Sorry."), id_="t1"),
                trace(user("please cancel order 77 now"), says("I cannot do that."), id_="t2"),
            ],
        )  # fmt: skip
        mine(store, now=DAY)
        overview = failure_overview(store)

    console = Console(width=160, record=True)
    console.print(*render_failures(overview, most=9))
    said = " ".join(console.export_text().split())

    for line in overview.lines:
        assert f"{line.name} {line.mode}" in said
    assert "refund_order: order 33 not found" in said
    assert "asked: please cancel order … now" in said
