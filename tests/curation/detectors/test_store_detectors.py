from pathlib import Path

import pytest

from tests.curation.conversations import DAY, MODEL, calls, reply, says, trace, user
from tests.curation.kept import keep
from tests.curation.refund_desk import TOOLS
from tracemill.curation.detectors.changed_schema import changes_between
from tracemill.curation.mine import mine
from tracemill.ingest.store import Store
from tracemill.ingest.trace import ToolSpec, Trace


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store.duckdb")


def claims(store: Store, detector: str) -> list[tuple[str, str]]:
    sql = "SELECT trace_id, claim FROM findings WHERE detector = ? ORDER BY trace_id"
    return [(trace_id, claim) for trace_id, claim in store.execute(sql, [detector])]


def usual(count: int = 120) -> list[Trace]:
    """Traces as they are every day."""
    return [
        trace(
            user(f"please refund order {index}"), says("done"), id_=f"u{index}",
            steps=({"message": 1, "cost_usd": 0.01 + 0.001 * (index % 5)},),
        )
        for index in range(count)
    ]  # fmt: skip


def test_what_takes_far_more_than_its_peers_is_an_outlier(store: Store) -> None:
    long = trace(user("refund"), *[says("hm")] * 20, id_="long", day=1)
    dear = trace(
        user("refund"), says("ok"), id_="dear", day=1, steps=({"message": 1, "cost_usd": 0.9},)
    )
    keep(store, [*usual(), long, dear])

    mine(store, now=DAY)

    assert claims(store, "step outlier") == [("long", "took far more steps than its peers")]
    assert claims(store, "cost outlier") == [("dear", "cost far more than its peers")]
    assert claims(store, "latency outlier") == []


def test_what_a_sub_agent_cost_is_the_traces_cost(store: Store) -> None:
    researcher = {
        "agent": "researcher",
        "model": MODEL,
        "messages": (user("research"), says("42")),
        "steps": ({"message": 1, "cost_usd": 0.9, "completion_tokens": 7},),
    }
    dear = trace(user("refund"), says("ok"), id_="dear", day=1, sub_agents=(researcher,))
    keep(store, [*usual(), dear])

    mine(store, now=DAY)

    assert claims(store, "cost outlier") == [("dear", "cost far more than its peers")]
    facts = store.execute("SELECT tokens, steps FROM trace_facts WHERE trace_id = 'dear'")
    assert facts == [(7, 1)]


def test_too_few_peers_make_no_outlier(store: Store) -> None:
    keep(store, [*usual(10), trace(user("refund"), *[says("hm")] * 20, id_="long", day=1)])

    mine(store, now=DAY)

    assert claims(store, "step outlier") == []


def test_a_new_tool_and_a_changed_schema_are_drift_at_the_first_trace_that_has_them(
    store: Store,
) -> None:
    changed = ToolSpec(
        name="refund_order",
        parameters={"properties": {"order": {"type": "string"}}, "required": ["order"]},
    )
    tools = (changed, TOOLS[1], ToolSpec(name="look_up"))
    keep(store, usual(5))
    mine(store, now=DAY)
    assert claims(store, "new tool") == []

    keep(
        store,
        [trace(user("x"), says("y"), id_=i, day=d, tools=tools) for i, d in (("a", 1), ("b", 2))],
    )
    mine(store, now=DAY)

    assert claims(store, "new tool") == [("a", "look_up is a tool never seen before")]
    assert claims(store, "changed schema") == [
        ("a", "the schema of refund_order changed: order is new; order_id is gone")
    ]


def test_a_new_error_text_is_drift_once_the_agent_is_known(store: Store) -> None:
    def refused(text: str, id_: str, day: int) -> Trace:
        return trace(user("x"), calls("refund_order", order_id=1), reply(text), id_=id_, day=day)

    keep(store, [refused("Error: no such order", "a", 0), *usual(60)])
    mine(store, now=DAY)
    keep(store, [refused("Error: no such order", "b", 1), refused("Error: ledger closed", "c", 1)])
    mine(store, now=DAY)

    assert claims(store, "new error") == [
        ("c", "an error text never seen before: refund_order: ledger closed")
    ]


def test_a_request_of_new_words_is_novel_and_one_of_known_words_is_not(store: Store) -> None:
    keep(store, usual())
    mine(store, now=DAY)
    novel = "Could my grandmother inherit these loyalty points?"

    keep(store, [trace(user(novel), says("hm"), id_="a", day=1), *usual(1)])
    mine(store, now=DAY)

    assert claims(store, "novel request") == [("a", "a request unlike all before")]


@pytest.mark.parametrize(
    ("former", "schema", "said"),
    [
        ({"properties": {"a": {}}}, {"properties": {"a": {}}, "required": ["a"]}, ("a is required",)),
        ({"properties": {"a": {}}, "required": ["a"]}, {"properties": {"a": {}}}, ("a is optional",)),
        ({"properties": {"a": {}}}, {"properties": {"a": {"type": "string"}}}, ("a has another schema",)),
        ({"title": "x"}, {"title": "y"}, ("something beside its arguments",)),
    ],
)  # fmt: skip
def test_what_changed_in_a_schema_is_said(
    former: dict[str, object], schema: dict[str, object], said: tuple[str, ...]
) -> None:
    assert changes_between(former, schema) == said  # type: ignore[arg-type]
