from collections import Counter
from pathlib import Path

import pytest

from tests.curation.conversations import calls, trace, user
from tests.curation.test_kept_drafts import come, read_by
from tests.curation.test_withheld import asked
from tracemill.curation.options import CurationOptions
from tracemill.ingest.store import Store
from tracemill.ingest.trace import Trace

TRAIN = CurationOptions(heldout_share=0.0001)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store.duckdb")


def of(user_id: str, tenant_id: str | None, *days: int) -> list[Trace]:
    """Requests of one user, each liked."""
    return [
        asked(day, day=day).model_copy(update={"user_id": user_id, "tenant_id": tenant_id})
        for day in days
    ]


def test_judgements_without_a_pair_are_capped_by_user_and_tenant_the_latest_first(
    store: Store,
) -> None:
    come(store, [*of("mia", "a", 0, 1, 2, 3), *of("tom", "a", 4, 5), *of("zoe", None, 6, 7)])
    options = TRAIN.model_copy(
        update={"max_judgements_per_group": 2, "max_judgements_per_tenant": 3}
    )

    drafted, _ = read_by(store, options)

    kept = Counter(row.sources[0].trace_id for row in drafted.unpaired)
    assert set(kept) == {"t3", "t4", "t5", "t6", "t7"}
    assert drafted.refused["over the cap of judgements of one group"] == 2
    assert drafted.refused["over the cap of judgements of one tenant"] == 1


def test_sibling_pairs_are_capped_by_user(store: Store) -> None:
    wrong = [
        trace(user("refund 332"), calls("refund_order", order_id=n), id_=f"bad{n}", user_id="mia",
              outcome={"reward": 0.0})
        for n in range(5)
    ]  # fmt: skip
    right = trace(
        user("refund 332"), calls("refund_order", order_id=332), id_="good", user_id="mia",
        outcome={"reward": 1.0},
    )  # fmt: skip
    come(store, [*wrong, right])

    drafted, _ = read_by(store, TRAIN.model_copy(update={"max_failures_per_group": 3}))

    assert len(drafted.siblings) == 3
    assert drafted.refused["over the cap of pairs of one group"] == 2
