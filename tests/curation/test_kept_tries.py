from pathlib import Path

import pytest

from tests.curation.conversations import DAY, ScriptedModel, calls, trace, user
from tests.curation.test_champion_tries import OPTIONS, RIGHT, WRONG
from tests.curation.test_draft import DONE
from tests.curation.test_kept_drafts import come
from tracemill.curation.champion_tries import try_champion
from tracemill.curation.draft import Draft, draft
from tracemill.curation.forget import forget
from tracemill.curation.kept_tries import keep_tries, known_tries
from tracemill.curation.options import CurationOptions
from tracemill.ingest.store import Store
from tracemill.ingest.trace import Message, Trace

TRAIN = OPTIONS.model_copy(update={"heldout_share": 0.0001})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store.duckdb")


def failed(number: int) -> Trace:
    want = {"expected_calls": [{"name": "refund_order", "arguments": {"order_id": 332}}]}
    return trace(
        user(f"case {number}: refund 332"), WRONG, DONE, id_=f"t{number}", user_id=f"user-{number}",
        outcome={**want, "reward": 0.0}, environment_state={"refund": 332},
    )  # fmt: skip


def tried(
    store: Store, *answers: Message | None, options: CurationOptions = TRAIN
) -> tuple[Draft, int]:
    """One night's tries by a model that says this in turn, and how often it was asked."""
    left = list(answers)
    champion = ScriptedModel(lambda _: left.pop(0))
    known = known_tries(store, champion.ref, options, max_tokens=128)
    found = try_champion(draft(store, options), champion, options=options, known=known)
    keep_tries(store, found, known, options, max_tokens=128)
    return found, sum(champion.batches)


def test_the_next_night_tries_only_what_is_new_and_comes_to_the_same(store: Store) -> None:
    come(store, [failed(1)])
    first, asked = tried(store, RIGHT, WRONG, WRONG, WRONG)
    come(store, [failed(2)])
    second, asked_then = tried(store, *[WRONG] * 4)

    assert (asked, asked_then) == (4, 4)
    assert sorted(task.pass_rate or 0.0 for task in second.tasks) == [0.0, 0.25]
    assert set(first.rollouts) < set(second.rollouts)
    assert tried(store) == (second, 0)


def test_what_is_set_aside_is_not_tried_again_either(store: Store) -> None:
    come(store, [failed(1)])

    assert [tried(store, *[RIGHT] * 4)[1], tried(store)[1]] == [4, 0]
    assert tried(store)[0].refused == {"the champion solves it in every try": 1}


def test_tries_that_an_outage_spoiled_and_those_asked_otherwise_are_made_again(
    store: Store,
) -> None:
    come(store, [failed(1)])
    tried(store, WRONG, None, WRONG, None)

    again, asked = tried(store, RIGHT, RIGHT)
    warmer = TRAIN.model_copy(update={"try_temperature": 1.0})

    assert (asked, again.tasks[0].pass_rate) == (2, 0.5)
    assert tried(store, *[WRONG] * 4, options=warmer)[1] == 4


def test_a_forgotten_users_tries_are_gone(store: Store, tmp_path: Path) -> None:
    come(store, [failed(1), failed(2)])
    tried(store, *[calls("cancel_order", order_id=332)] * 8)

    forget(store, tmp_path, "user-1", now=DAY)

    assert store.execute("SELECT DISTINCT trace_id FROM champion_tries") == [("t2",)]
