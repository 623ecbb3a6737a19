from tests.deploy.rounds import NOW
from tracemill.deploy.model_page import VersionLine, render_model_page
from tracemill.deploy.version import AliasMove

BASE = VersionLine("1", ("previous",), "base", "", "", "", "2026-03-01")
BETTER = VersionLine(
    "2", ("champion",), "promote", "1", "+45.8 (+38.1 to +53.2)", "$0.0020", "2026-03-02"
)


def move(before: str | None, after: str, reason: str) -> AliasMove:
    return AliasMove(
        alias="champion", from_version=before, to_version=after, at=NOW, by="ada", reason=reason
    )


def test_versions_stand_side_by_side_under_the_champion() -> None:
    page = render_model_page(
        [BETTER, BASE], [move(None, "1", "first"), move("1", "2", "better <b>")], "support-desk"
    )

    assert page.startswith("## Champion: version 2\n\nSince 2026-03-02 04:00 UTC, by ada: better")
    assert "[2 (champion)](#/models/support-desk/versions/2)" in page
    assert "&#43;45.8 (+38.1 to +53.2)" in page
    assert "<b>" not in page
    assert page.index("1 → 2") < page.index("none → 1")


def test_before_the_first_move_there_is_no_champion() -> None:
    assert render_model_page([BASE], [], "desk").startswith("## No champion yet")
