from hypothesis import given
from hypothesis import strategies as st

from tests.curation.conversations import trace
from tracemill.curation.split import group_of, split_of


def test_a_group_is_a_user_else_a_session_else_a_task_else_the_trace() -> None:
    groups = [
        group_of(trace(user_id="u", session_id="s", task="k")),
        group_of(trace(session_id="s", task="k")),
        group_of(trace(task="k")),
        group_of(trace()),
    ]

    assert groups == ["user u", "session s", "task k", "trace t1"]


@given(st.text(), st.integers())
def test_a_groups_side_never_changes_and_only_grows_with_the_share(group: str, seed: int) -> None:
    sides = [split_of(group, seed=seed, heldout_share=share) for share in (0.1, 0.5, 0.9)]

    assert sides == sorted(sides, reverse=True)
    assert sides[1] == split_of(group, seed=seed, heldout_share=0.5)


def test_the_share_is_kept() -> None:
    sides = [split_of(f"user {i}", seed=0, heldout_share=0.3) for i in range(5000)]

    assert 0.28 < sides.count("heldout") / len(sides) < 0.32
