from pathlib import Path

import pytest

from tests.training.conftest import RECIPES
from tracemill.errors import SettingsError
from tracemill.training.recipe import SHIPPED_RECIPES, find_recipe


def test_every_shipped_recipe_loads_under_its_own_name() -> None:
    names = [path.stem for path in SHIPPED_RECIPES.glob("*.toml")]

    assert [find_recipe(name).name for name in names] == names
    assert "sft-then-dpo" in names


def test_a_section_that_is_absent_is_not_done() -> None:
    harmful = find_recipe(str(RECIPES / "harmful-dpo.toml"))

    assert harmful.sft is None
    assert harmful.lora is None
    assert harmful.dpo is not None


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(SettingsError, match="sft-then-dpo"):
        find_recipe("sft")


@pytest.mark.parametrize("text", ["name = ", 'name = "x"', 'name = "x"\n[sft]\nlearning_rte = 1.0'])
def test_a_file_that_is_no_recipe_is_refused_by_name(text: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text)

    with pytest.raises(SettingsError, match=r"bad\.toml"):
        find_recipe(str(path))


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no recipe at"):
        find_recipe(str(tmp_path / "none.toml"))
