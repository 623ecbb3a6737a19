"""Who becomes champion, and who does not."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from mlflow import MlflowClient

from tests.deploy.rounds import NOW, WORSE, enter, model_folder
from tracemill.deploy.moving import alone
from tracemill.deploy.registry import Registry
from tracemill.deploy.registry_options import Approval
from tracemill.deploy.version import ModelVersion
from tracemill.errors import RegistryError


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

    assert move.reason.startswith("I insist (forced, although version 2 was not passed")


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


def test_of_two_promotions_at_once_one_finds_the_others_champion(
    open_registry: Callable[[Approval], Registry], base: ModelVersion, tmp_path: Path
) -> None:
    versions = [enter(open_registry("auto"), tmp_path, base, seed=seed).version for seed in (1, 2)]
    together = Barrier(2)

    def promote(version: str) -> str:
        registry = open_registry("auto")
        together.wait()
        try:
            return registry.promote(version, by="ada", reason="better", now=NOW).to_version
        except RegistryError as error:
            return str(error)

    with ThreadPoolExecutor(2) as pool:
        first, second = sorted(pool.map(promote, versions), key=len)

    champion = open_registry("auto").champion()
    assert champion is not None
    assert champion.version == first
    assert f"was judged against version 1, but version {first} is champion by now" in second


def test_who_waits_too_long_for_another_move_is_told(tmp_path: Path) -> None:
    def wait() -> None:
        with alone(tmp_path, "desk", wait_seconds=0.1):
            pass

    with alone(tmp_path, "desk"), pytest.raises(RegistryError, match="another process has been"):
        wait()


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


def test_a_version_whose_weights_tag_was_changed_is_not_promoted(
    registry: Registry, base: ModelVersion, client: MlflowClient, tmp_path: Path
) -> None:
    version = enter(registry, tmp_path, base)
    client.set_model_version_tag(registry.model_name, version.version, "weights.sha256", "0" * 64)

    with pytest.raises(RegistryError, match="version 2 names other weights than its list of files"):
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
