from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from mlflow import MlflowClient

from tests.deploy.rounds import NOW, SUITE, WORSE, model_folder, registration_of
from tracemill.deploy.registry import Registry
from tracemill.deploy.registry_options import Approval
from tracemill.deploy.version import ModelVersion
from tracemill.errors import RegistryError
from tracemill.evaluation.spending import SuiteUse, count_use


@pytest.fixture
def client(registry: Registry) -> MlflowClient:
    return MlflowClient(tracking_uri=registry.tracking_uri)


@pytest.fixture
def base(registry: Registry, tmp_path: Path) -> ModelVersion:
    return registry.register_base(model_folder(tmp_path / "base"), note="SmolLM2", now=NOW)


def enter(
    registry: Registry, folder: Path, champion: ModelVersion, *, seed: int = 1, **passes: int
) -> ModelVersion:
    """Register a candidate that is better, or passes so many tasks of each slice."""
    champion_ref = champion.ref
    registration = (
        registration_of(folder, champion_ref, passes, seed=seed)
        if passes
        else registration_of(folder, champion_ref, seed=seed)
    )
    return registry.register(registration, now=NOW + timedelta(hours=seed))


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


def test_promoting_moves_champion_and_keeps_the_former_as_previous(
    registry: Registry, base: ModelVersion, tmp_path: Path
) -> None:
    version = enter(registry, tmp_path, base)

    move = registry.promote(version.version, by="ada", reason="better refunds", now=NOW)

    champion = registry.champion()
    assert champion is not None
    assert (champion.version, champion.aliases) == ("2", ("champion",))
    assert registry.version("1").aliases == ("previous",)
    assert (move.from_version, move.to_version, move.by, move.reason) == (
        "1",
        "2",
        "ada",
        "better refunds",
    )
    assert registry.history()[-1] == move


def test_promoting_the_champion_again_changes_nothing(
    registry: Registry, base: ModelVersion, tmp_path: Path
) -> None:
    version = enter(registry, tmp_path, base)
    move = registry.promote(version.version, by="ada", reason="better", now=NOW)

    again = registry.promote(version.version, by="bob", reason="retry", now=NOW)

    assert again == move
    assert len(registry.history()) == 2


def test_a_version_that_the_gate_held_is_only_promoted_by_force(
    registry: Registry, base: ModelVersion, tmp_path: Path
) -> None:
    version = enter(registry, tmp_path, base, **WORSE)

    with pytest.raises(RegistryError, match=r"was not passed by the gate \(hold\)"):
        registry.promote(version.version, by="ada", reason="I insist", now=NOW)
    assert registry.champion() == base
    move = registry.promote(version.version, by="ada", reason="I insist", now=NOW, force=True)

    assert move.reason == "I insist (forced against the gate)"


@pytest.mark.parametrize(("by", "reason"), [("", "better"), ("ada", " ")])
def test_nobody_moves_the_champion_without_name_and_reason(
    registry: Registry, base: ModelVersion, tmp_path: Path, by: str, reason: str
) -> None:
    version = enter(registry, tmp_path, base)

    with pytest.raises(RegistryError, match="who makes it and why"):
        registry.promote(version.version, by=by, reason=reason, now=NOW, force=True)


def test_a_verdict_against_a_former_champion_does_not_promote(
    registry: Registry, base: ModelVersion, tmp_path: Path
) -> None:
    first = enter(registry, tmp_path, base, seed=1)
    second = enter(registry, tmp_path, base, seed=2)
    registry.promote(first.version, by="ada", reason="better", now=NOW)

    with pytest.raises(RegistryError, match="judged against version 1, but version 2 is champion"):
        registry.promote(second.version, by="ada", reason="better", now=NOW)


def test_an_unknown_version_is_not_promoted(registry: Registry, base: ModelVersion) -> None:
    with pytest.raises(RegistryError, match="has no version '7'"):
        registry.promote("7", by="ada", reason="better", now=NOW, force=True)


def test_a_version_whose_weights_were_changed_is_not_promoted(
    registry: Registry, base: ModelVersion, tmp_path: Path
) -> None:
    version = enter(registry, tmp_path, base)
    weights = version.path / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)

    with pytest.raises(RegistryError, match="is not the file that was registered"):
        registry.promote(version.version, by="ada", reason="better", now=NOW, force=True)
    assert registry.champion() == base
    assert len(registry.history()) == 1


def test_a_version_with_a_file_too_few_or_too_many_is_not_promoted(
    registry: Registry, base: ModelVersion, tmp_path: Path
) -> None:
    version = enter(registry, tmp_path, base)
    template = version.path / "chat_template.jinja"
    text = template.read_text()

    template.unlink()
    with pytest.raises(RegistryError, match=r"chat_template.jinja is missing"):
        registry.promote(version.version, by="ada", reason="better", now=NOW)
    template.write_text(text)
    (version.path / "notes.txt").write_text("hello")
    with pytest.raises(RegistryError, match="was not there when the version was registered"):
        registry.promote(version.version, by="ada", reason="better", now=NOW)


def test_a_version_whose_files_are_gone_is_not_promoted(
    registry: Registry, base: ModelVersion, tmp_path: Path
) -> None:
    version = enter(registry, tmp_path, base)
    version.path.rename(tmp_path / "elsewhere")

    with pytest.raises(RegistryError, match="the files of version 2 are gone"):
        registry.promote(version.version, by="ada", reason="better", now=NOW)


def test_a_version_whose_digests_were_changed_is_not_promoted(
    registry: Registry, base: ModelVersion, client: MlflowClient, tmp_path: Path
) -> None:
    version = enter(registry, tmp_path, base)
    client.set_model_version_tag(registry.model_name, version.version, "files.sha256", "0" * 64)

    with pytest.raises(RegistryError, match="list of files of version 2 is not the one registered"):
        registry.promote(version.version, by="ada", reason="better", now=NOW)


def test_a_registration_that_was_interrupted_counts_as_none(
    registry: Registry, base: ModelVersion, client: MlflowClient, tmp_path: Path
) -> None:
    version = enter(registry, tmp_path, base)
    client.delete_model_version_tag(registry.model_name, version.version, "registered.at")

    assert registry.version_of_round("round-1") is None
    with pytest.raises(RegistryError, match="has no version '2'"):
        registry.promote("2", by="ada", reason="better", now=NOW)


def test_a_person_approves_by_a_tag(
    open_registry: Callable[[Approval], Registry], client: MlflowClient, tmp_path: Path
) -> None:
    registry = open_registry("human")
    base = registry.register_base(model_folder(tmp_path / "base"), now=NOW)
    version = enter(registry, tmp_path, base)

    with pytest.raises(RegistryError, match="waits for a person"):
        registry.promote(version.version, by="nightly", reason="better", now=NOW)
    assert registry.champion() == base
    client.set_model_version_tag(
        registry.model_name, version.version, "review.decision", "approved"
    )

    assert registry.promote(version.version, by="nightly", reason="better", now=NOW)


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


def test_a_server_that_is_not_there_is_told_at_once(tmp_path: Path) -> None:
    registry = Registry("http://127.0.0.1:1", tmp_path, "desk")

    with pytest.raises(RegistryError, match="no MLflow answers at"):
        registry.champion()
