import pytest

from tracemill.curation.standing import NightShare, standing_of


def nights(*seen: int, traces: int = 50) -> list[NightShare]:
    return [NightShare(f"2026-03-{day:02}", count, traces) for day, count in enumerate(seen, 1)]


@pytest.mark.parametrize(
    ("seen", "standing"),
    [
        ((5,), "new"),
        ((0, 0, 5), "new"),
        ((5, 6), "steady"),
        ((5, 25), "growing"),
        ((10, 0), "fixed"),
        ((10, 0, 0), "fixed"),
        ((10, 0, 0, 9), "regressed"),
        ((10, 0, 9, 10), "regressed"),
        ((10, 0, 9, 0), "fixed"),
    ],
)
def test_a_mode_is_followed_from_night_to_night(seen: tuple[int, ...], standing: str) -> None:
    assert standing_of(nights(*seen)) == standing


def test_a_quiet_night_fixes_nothing() -> None:
    few = [NightShare("2026-03-01", 5, 50), NightShare("2026-03-02", 0, 3)]

    assert standing_of(few) != "fixed"
    assert standing_of([*few, NightShare("2026-03-03", 0, 60)]) == "fixed"
