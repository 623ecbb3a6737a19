"""The way back, and the record of every move."""

from pathlib import Path

import pytest
from mlflow import MlflowClient

from tests.deploy.rounds import NOW, enter
from tracemill.deploy.registry import Registry
from tracemill.deploy.version import ModelVersion
from tracemill.errors import RegistryError


def test_rolling_back_walks_the_champions_backwards(
    registry: Registry, base: ModelVersion, tmp_path: Path
) -> None:
    second = enter(registry, tmp_path, base, seed=1)
    registry.promote(second.version, by="ada", reason="better", now=NOW)
    third = enter(registry, tmp_path, second, seed=2)
    registry.promote(third.version, by="ada", reason="better still", now=NOW)

    first_move = registry.rollback(by="bob", reason="refunds fail", now=NOW)
    second_move = registry.rollback(by="bob", reason="these too", now=NOW)

    assert (first_move.from_version, first_move.to_version) == ("3", "2")
    assert (second_move.from_version, second_move.to_version) == ("2", "1")
    assert registry.champion() == registry.version("1")
    with pytest.raises(RegistryError, match="has no previous champion"):
        registry.rollback(by="bob", reason="further", now=NOW)
    assert [move.to_version for move in registry.history()] == ["1", "2", "3", "2", "1"]


def test_a_version_that_was_rolled_back_from_does_not_come_back_by_itself(
    registry: Registry, base: ModelVersion, tmp_path: Path
) -> None:
    version = enter(registry, tmp_path, base)
    registry.promote(version.version, by="ada", reason="better", now=NOW)
    registry.rollback(by="bob", reason="refunds fail", now=NOW)

    with pytest.raises(RegistryError, match="version 2 was rolled back from: refunds fail"):
        registry.promote(version.version, by="nightly", reason="better", now=NOW)


def test_force_that_was_not_needed_is_not_recorded_as_such(
    registry: Registry, base: ModelVersion, tmp_path: Path
) -> None:
    version = enter(registry, tmp_path, base)

    move = registry.promote(version.version, by="ada", reason="better", now=NOW, force=True)

    assert move.reason == "better"


def test_the_history_outlives_the_aliases(
    registry: Registry, base: ModelVersion, client: MlflowClient
) -> None:
    client.delete_registered_model_alias(registry.model_name, "champion")

    assert registry.champion() is None
    assert [move.to_version for move in registry.history()] == ["1"]


def test_a_reason_as_long_as_a_novel_is_cut(
    registry: Registry, base: ModelVersion, tmp_path: Path
) -> None:
    version = enter(registry, tmp_path, base)

    move = registry.promote(version.version, by="ada", reason="well " * 5000, now=NOW)

    assert registry.history()[-1] == move
    assert len(move.reason) == 1500


def test_a_previous_champion_whose_weights_changed_is_not_rolled_back_to(
    registry: Registry, base: ModelVersion, tmp_path: Path
) -> None:
    version = enter(registry, tmp_path, base)
    registry.promote(version.version, by="ada", reason="better", now=NOW)
    (base.path / "config.json").write_text("{}")

    with pytest.raises(RegistryError, match=r"config.json is not the file"):
        registry.rollback(by="bob", reason="refunds fail", now=NOW)


def test_a_champion_moved_by_other_means_is_noted(
    registry: Registry, base: ModelVersion, client: MlflowClient, tmp_path: Path
) -> None:
    second = enter(registry, tmp_path, base, seed=1)
    client.set_registered_model_alias(registry.model_name, "champion", second.version)
    third = enter(registry, tmp_path, second, seed=2)

    registry.promote(third.version, by="ada", reason="better", now=NOW)

    moves = [(move.from_version, move.to_version, move.by) for move in registry.history()]
    assert moves == [(None, "1", "tracemill"), ("1", "2", "unknown"), ("2", "3", "ada")]


def test_a_history_that_was_altered_is_not_believed(
    registry: Registry, base: ModelVersion, client: MlflowClient, tmp_path: Path
) -> None:
    version = enter(registry, tmp_path, base)
    registry.promote(version.version, by="ada", reason="better", now=NOW)
    key = "alias.history.00001"
    entry = client.get_registered_model(registry.model_name).tags[key]
    client.set_registered_model_tag(registry.model_name, key, entry.replace("tracemill", "eve"))

    with pytest.raises(RegistryError, match="alias history was altered"):
        registry.history()
