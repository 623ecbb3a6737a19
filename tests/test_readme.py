"""The README is true: its tree, its commands, its settings."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from tracemill.cli.app import build_app
from tracemill.settings import load_settings

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def tree() -> dict[str, str]:
    """Path → what the tree says of it."""
    folder, found = "", {}
    for line in blocks("text")[0].splitlines():
        name, said = re.fullmatch(r"( *\S+)\s+(.*)", line).groups()  # type: ignore[union-attr]
        if not name.startswith(" "):
            folder = name if name.endswith("/") else ""
            found[name] = said
        else:
            found[folder + name.strip()] = said
    return found


def test_every_path_of_the_tree_is_there() -> None:
    missing = [path for path in tree() if not (ROOT / path).exists()]

    assert missing == []


def test_every_folder_of_the_project_is_in_the_tree() -> None:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    folders = {path.split("/")[0] + "/" for path in listed if "/" in path}

    told = {path.split("/")[0] + "/" for path in tree() if "/" in path}

    assert folders - told == set()


def test_every_make_target_is_there() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))

    told = set(re.findall(r"make ([a-z-]+)", "\n".join(blocks("sh"))))

    assert {"demo", "test"} <= told <= targets


def test_every_tracemill_command_is_there() -> None:
    app = build_app()
    known = {command.name for command in app.registered_commands}
    known |= {group.name for group in app.registered_groups}

    told = set(re.findall(r"tracemill ([a-z-]+)", "\n".join(blocks("sh"))))

    assert told - known - {"--type"} <= {"tracemill"}


@pytest.mark.parametrize("block", blocks("toml"))
def test_the_settings_shown_can_be_loaded(block: str, tmp_path: Path) -> None:
    (tmp_path / "tracemill.toml").write_text(block)

    load_settings(tmp_path / "tracemill.toml")

    assert tomllib.loads(block)


def test_the_stages_import_by_their_package_name() -> None:
    # a checkout whose links became text files (core.symlinks=false) fails here
    for stage in ("ingest", "curation", "training", "evaluation", "deploy", "flows"):
        assert (ROOT / "src" / "tracemill" / stage).resolve() == ROOT / stage
