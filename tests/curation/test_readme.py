"""The settings that curation's README shows can be used as they stand there."""

import re
from pathlib import Path

import pytest

from tracemill.settings import load_settings

README = Path(__file__).resolve().parents[2] / "curation" / "README.md"
EXAMPLES = re.findall(r"```toml\n(.*?)```", README.read_text(), re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_of_settings_loads(tmp_path: Path, example: str) -> None:
    path = tmp_path / "tracemill.toml"
    path.write_text(example)

    assert load_settings(path).curation != load_settings_of_nothing(tmp_path)


def load_settings_of_nothing(folder: Path) -> object:
    path = folder / "nothing.toml"
    path.write_text("")
    return load_settings(path).curation


def test_the_readme_shows_some() -> None:
    assert len(EXAMPLES) >= 3
