import pytest

from tracemill.curation.standing import Course, NightShare, course_of, in_order


def nights(*seen: int, traces: int = 50, model: str = "m@1", first: int = 1) -> list[NightShare]:
    return [
        NightShare(f"2026-03-{day:02}", model, count, traces)
        for day, count in enumerate(seen, first)
    ]


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
    assert course_of(nights(*seen)).standing == standing


def test_a_quiet_night_fixes_nothing() -> None:
    quiet = [*nights(5), *nights(0, traces=3, first=2)]

    assert course_of(quiet).standing != "fixed"
    assert course_of([*quiet, *nights(0, traces=90, first=3)]).standing == "fixed"


def test_what_was_seen_once_is_not_called_fixed_when_it_does_not_come_again() -> None:
    assert course_of(nights(1, 0, 0, 0, 0, 0, 0)).standing == "new"


def test_what_was_seen_once_is_new_for_a_week_and_no_longer() -> None:
    assert course_of(nights(1, *[0] * 6)).standing == "new"
    assert course_of(nights(1, *[0] * 7)).standing == "steady"
    assert course_of(nights(*[0] * 9, 1)).standing == "new"


def test_it_is_said_in_which_model_version_a_mode_was_fixed_and_in_which_it_came_back() -> None:
    course = course_of(
        [*nights(10), *nights(0, model="m@2", first=2), *nights(8, model="m@3", first=3)]
    )

    assert course == Course("regressed", fixed_in="m@2", regressed_in="m@3")


def test_an_old_version_that_still_serves_does_not_bring_a_mode_back() -> None:
    old, new = nights(10, 10, 10), nights(0, 0, model="m@2", first=2)

    assert course_of(in_order([*new, *old])) == Course("fixed", fixed_in="m@2")


def test_versions_that_came_in_the_same_night_are_taken_together() -> None:
    one, other = nights(10, 10), nights(0, 0, model="m@2")

    assert course_of(in_order([*one, *other])).standing == "steady"
