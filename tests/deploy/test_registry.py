from pathlib import Path

import pytest

from tests.deploy.rounds import NOW, SUITE, WORSE, enter, model_folder, registration_of
from tracemill.deploy.registry import Registry
from tracemill.deploy.version import ModelVersion
from tracemill.errors import RegistryError
from tracemill.evaluation.spending import SuiteUse, count_use


def test_where_nothing_is_registered_there_is_no_champion(registry: Registry) -> None:
    assert registry.champion() is None
    assert registry.versions() == ()
    assert registry.history() == ()


def test_the_base_model_is_the_first_champion(registry: Registry, base: ModelVersion) -> None:
    champion = registry.champion()

    assert champion == base
    assert (base.version, base.verdict, base.aliases) == ("1", "base", ("champion",))
    assert (base.path / "model.safetensors").is_file()
    assert [move.to_version for move in registry.history()] == ["1"]


def test_a_second_base_model_is_refused(
    registry: Registry, base: ModelVersion, tmp_path: Path
) -> None:
    with pytest.raises(RegistryError, match="has a champion, version 1"):
        registry.register_base(model_folder(tmp_path / "other"), now=NOW)


def test_a_candidate_is_registered_with_its_descent(
    registry: Registry, base: ModelVersion, tmp_path: Path
) -> None:
    version = enter(registry, tmp_path, base)

    assert version.version == "2"
    assert version.round_id == "round-1"
    assert version.dataset_id == "dataset-0123456789abcdef"
    assert version.parent_version == "1"
    assert version.verdict == "promote"
    assert version.aliases == ("candidate",)
    assert [each.version for each in registry.versions()] == ["2", "1"]
    assert registry.version_of_round("round-1") == version
    assert registry.version_of_round("round-9") is None


def test_versions_that_a_forgotten_users_rows_trained_are_marked(
    registry: Registry, base: ModelVersion, tmp_path: Path
) -> None:
    version = enter(registry, tmp_path, base)

    assert version.dataset_id is not None
    assert registry.mark_forgotten([version.dataset_id], now=NOW) == (version.version,)
    assert registry.mark_forgotten(["dataset-of-nobody"], now=NOW) == ()


def test_a_candidate_that_is_held_back_is_registered_too(
    registry: Registry, base: ModelVersion, tmp_path: Path
) -> None:
    version = enter(registry, tmp_path, base, **WORSE)

    assert version.verdict == "hold"
    assert registry.champion() == base


def test_the_same_candidate_registered_again_is_the_same_version(
    registry: Registry, base: ModelVersion, tmp_path: Path
) -> None:
    registration = registration_of(tmp_path, base.ref)

    first = registry.register(registration, now=NOW)

    assert registry.register(registration, now=NOW) == first
    assert len(registry.versions()) == 2


def test_the_evidence_of_a_version_is_read_back(
    registry: Registry, base: ModelVersion, tmp_path: Path
) -> None:
    registration = registration_of(tmp_path, base.ref)
    version = registry.register(registration, now=NOW)

    evidence = registry.evidence(version.version)

    assert evidence.candidate == registration.candidate_card
    assert evidence.champion == registration.champion_card
    assert evidence.suite == registration.suite


def test_each_comparison_wears_the_suite(
    registry: Registry, base: ModelVersion, tmp_path: Path
) -> None:
    assert registry.past_uses() == ()
    enter(registry, tmp_path, base, seed=1)
    enter(registry, tmp_path, base, seed=2, **WORSE)

    assert count_use(SUITE, registry.past_uses()) == SuiteUse(use=3, promotions=1)


def test_a_verdict_of_another_model_is_not_registered(
    registry: Registry, base: ModelVersion, tmp_path: Path
) -> None:
    mine = registration_of(tmp_path, base.ref, seed=1)
    other = registration_of(tmp_path, base.ref, seed=2)
    mixed = type(mine)(**{**vars(mine), "verdict": other.verdict})

    with pytest.raises(RegistryError, match="the verdict's candidate is"):
        registry.register(mixed, now=NOW)
    assert len(registry.versions()) == 1


def test_weights_that_the_round_did_not_make_are_not_registered(
    registry: Registry, base: ModelVersion, tmp_path: Path
) -> None:
    registration = registration_of(tmp_path, base.ref)
    changed = model_folder(tmp_path / "changed", seed=99) / "model.safetensors"
    (registration.candidate.path / "model.safetensors").write_bytes(changed.read_bytes())

    with pytest.raises(RegistryError, match="are not those that round 'round-1' made"):
        registry.register(registration, now=NOW)
    assert len(registry.versions()) == 1


def test_a_server_that_is_not_there_is_told_at_once(tmp_path: Path) -> None:
    registry = Registry("http://127.0.0.1:1", tmp_path, "desk")

    with pytest.raises(RegistryError, match="no MLflow answers at"):
        registry.champion()
