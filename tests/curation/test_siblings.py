from itertools import product
from pathlib import Path

import pytest

from tests.curation.conversations import calls, says, trace, user
from tests.curation.test_draft import drafted
from tracemill.curation.arguments import says_the_same
from tracemill.curation.detectors.reading import Reading
from tracemill.curation.findings import prepare_tables
from tracemill.curation.options import CurationOptions
from tracemill.curation.siblings import Fork, branches_of, make_pairs, write_branches
from tracemill.curation.siblings import forks as find_forks
from tracemill.ingest.store import Store
from tracemill.ingest.trace import Message, Trace

PASSED, FAILED = {"reward": 1.0}, {"reward": 0.0}
ASK = user("refund 332")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path / "store.duckdb")
    prepare_tables(made)
    return made


def forks(store: Store, traces: list[Trace], *, may_models_differ: bool = True) -> tuple[Fork, ...]:
    store.execute("DELETE FROM drafted_branches")
    write_branches(store, [(one.id, branches_of(Reading(one))) for one in traces])
    return find_forks(store, may_models_differ=may_models_differ)


def test_a_passing_and_a_failing_trace_part_at_one_step_and_make_a_pair(store: Store) -> None:
    right, wrong = calls("refund_order", order_id=332), calls("refund_order", order_id=333, id_="x")
    traces = [
        trace(ASK, right, id_="a", outcome=PASSED),
        trace(ASK, wrong, id_="b", outcome=FAILED),
        trace(ASK, wrong, id_="c", outcome=FAILED),
        trace(ASK, wrong, id_="d"),
    ]

    found = forks(store, traces)
    pair = make_pairs(found, {one.id: one for one in traces})[0]

    assert found == (Fork("a", "b", 1),)
    assert (pair.prompt, pair.chosen, pair.rejected) == ((ASK,), right, wrong)
    assert {source.trace_id for source in pair.sources} == {"a", "b"}


def test_sides_that_differ_in_form_or_tools_or_say_the_same_make_none(store: Store) -> None:
    right = calls("refund_order", order_id=332)
    passed = trace(ASK, right, id_="a", outcome=PASSED)

    for wrong in (
        trace(ASK, says("no"), id_="b", outcome=FAILED),
        trace(ASK, right.model_copy(update={"content": "Sure."}), id_="b", outcome=FAILED),
        trace(ASK, calls("refund_order", order_id=332, id_="y"), id_="b", outcome=FAILED),
        trace(ASK, calls("cancel_order", order_id=332), id_="b", outcome=FAILED, tools=()),
    ):
        assert forks(store, [passed, wrong]) == ()


def key(messages: tuple[Message, ...]) -> list[object]:
    return [
        (m.role, m.content or "", [(c.name, c.arguments) for c in m.tool_calls]) for m in messages
    ]


def brute_force(traces: list[Trace]) -> set[tuple[str, str, str]]:
    """Every passing with every failing trace, message by message."""
    found = set()
    ends = [[t for t in traces if t.outcome.reward == r] for r in (1.0, 0.0)]
    for good, bad in product(*ends):
        if (good.task, good.tools) != (bad.task, bad.tools):
            continue
        for step, (one, other) in enumerate(zip(good.messages, bad.messages, strict=False)):
            if key((one,)) == key((other,)):
                continue
            forms = {(bool(m.tool_calls), bool(m.content)) for m in (one, other)}
            is_fork = one.role == other.role == "assistant" and len(forms) == 1
            if is_fork and not says_the_same(one, other):
                prefix = key(good.messages[:step])
                found.add((repr(prefix), repr(key((one,))), repr(key((other,)))))
            break
    return found


def test_as_many_pairs_are_found_in_agentdojo_as_by_comparing_all_with_all(
    store: Store, agentdojo: list[Trace]
) -> None:
    traces = [one for one in agentdojo if "important" not in one.id and one.outcome.error is None]

    assert len(forks(store, traces)) == len(brute_force(traces)) > 0
    assert forks(store, traces, may_models_differ=False) == ()


def test_as_many_pairs_are_found_in_tau2_bench_as_by_comparing_all_with_all(
    store: Store, tau2: list[Trace]
) -> None:
    assert len(forks(store, tau2)) == len(brute_force(tau2)) > 0
    assert forks(store, tau2, may_models_differ=False) == ()


def test_the_same_words_in_another_world_make_no_pair(store: Store) -> None:
    right, wrong = calls("refund_order", order_id=332), calls("refund_order", order_id=333)
    passed = trace(ASK, right, id_="a", outcome=PASSED, task="refund", environment_state={"p": 1})

    for world in ({"task": "cancel", "environment_state": {"p": 1}}, {"task": "refund"}):
        failed = trace(ASK, wrong, id_="b", outcome=FAILED, **world)
        assert forks(store, [passed, failed]) == ()


def test_there_is_none_in_tau_bench(store: Store, airline: list[Trace]) -> None:
    assert forks(store, airline) == ()


def test_pairs_of_the_training_side_only_enter_the_draft(tmp_path: Path) -> None:
    right, wrong = calls("refund_order", order_id=332), calls("refund_order", order_id=333)

    def both(user_id: str, ask: str) -> list[Trace]:
        return [
            trace(user(ask), right, id_=f"{user_id}-a", user_id=user_id, outcome=PASSED),
            trace(user(ask), wrong, id_=f"{user_id}-b", user_id=user_id, outcome=FAILED),
        ]

    traces = [one for n in range(12) for one in both(f"u{n}", f"refund {n}")]

    found = drafted(tmp_path, *traces, options=CurationOptions())

    assert 0 < len(found.siblings) < 12
    assert not {pair.group for pair in found.siblings} & {
        task.group for task in found.tasks if task.split == "heldout"
    }
