import pytest

from tracemill.curation.shape import first_line, shape_of


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("flight HAT030 not available on date 2024-05-13", "flight … not available on date …"),
        ("total price is 375, but paid 299.", "total price is …, but paid …"),
        ("no user named 'Mia Li' here", "no user named … here"),
        ("503 Service Unavailable", "503 Service Unavailable"),
        ("payment method not found", "payment method not found"),
    ],
)
def test_what_differs_from_case_to_case_is_left_out(text: str, shape: str) -> None:
    assert shape_of(text) == shape


def test_the_first_line_is_cut() -> None:
    assert first_line("\n  two words \n more") == "two words"
    assert first_line("x" * 300, limit=10) == "x" * 9 + "…"
