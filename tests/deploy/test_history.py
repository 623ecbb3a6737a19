import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.deploy.rounds import NOW
from tracemill.deploy.history import next_entry, read_history
from tracemill.deploy.version import AliasMove
from tracemill.errors import RegistryError


def move(to: str, by: str = "ada") -> AliasMove:
    return AliasMove(
        alias="champion", from_version=None, to_version=to, at=NOW, by=by, reason="better"
    )


def written(*targets: str) -> dict[str, str]:
    tags = {"team": "support"}
    for target in targets:
        tags.update([next_entry(tags, move(target))])
    return tags


@given(st.lists(st.text(min_size=1), max_size=6))
def test_moves_are_read_back_in_order(targets: list[str]) -> None:
    assert [each.to_version for each in read_history(written(*targets))] == targets


@pytest.mark.parametrize("number", [1, 2])
def test_an_entry_taken_out_is_noticed(number: int) -> None:
    tags = written("1", "2", "3")
    del tags[f"alias.history.{number:05}"]

    with pytest.raises(RegistryError, match="altered"):
        read_history(tags)


def test_an_entry_that_was_changed_is_noticed() -> None:
    tags = written("1", "2", "3")
    tags["alias.history.00002"] = tags["alias.history.00002"].replace("ada", "eve")

    with pytest.raises(RegistryError, match=r"altered at .*00003"):
        read_history(tags)


def test_an_entry_that_is_no_json_is_told() -> None:
    with pytest.raises(RegistryError, match="cannot be read"):
        read_history({"alias.history.00001": "{"})
