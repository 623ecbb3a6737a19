import json
from pathlib import Path

import pytest
from mlflow import MlflowClient

from tests.deploy.rounds import NOW, model_folder, registration_of
from tracemill.deploy.publish import list_metrics, list_params, metric_name
from tracemill.deploy.registry import Registry
from tracemill.deploy.version import ModelVersion
from tracemill.evaluation.verdict import Verdict
from tracemill.ingest.trace import ModelRef


@pytest.fixture(scope="module")
def registry_of_one(mlflow_folder: Path) -> Registry:
    uri = f"sqlite:///{mlflow_folder / 'mlflow.db'}"
    return Registry(uri, mlflow_folder / "artifacts", "published")


@pytest.fixture(scope="module")
def version(registry_of_one: Registry, mlflow_folder: Path) -> ModelVersion:
    base = registry_of_one.register_base(model_folder(mlflow_folder / "base"), now=NOW)
    return registry_of_one.register(registration_of(mlflow_folder, base.ref), now=NOW)


def test_a_version_comes_with_figures_files_tags_and_page(
    registry_of_one: Registry, version: ModelVersion
) -> None:
    client = MlflowClient(tracking_uri=registry_of_one.tracking_uri)
    run = client.get_run(version.run_id)
    found = client.get_model_version(registry_of_one.model_name, version.version)

    assert run.info.status == "FINISHED"
    assert run.data.metrics["eval/candidate_pass_rate"] == pytest.approx(115 / 120)
    assert run.data.metrics["slice/refund_order candidate"] == pytest.approx(55 / 60)
    assert run.data.params["sft.learning_rate"] == "0.0002"
    history = client.get_metric_history(version.run_id, "train/sft_loss")
    assert [(each.step, each.value) for each in history] == [(1, 2.5), (2, 1.25), (3, 0.5)]
    assert found.tags["gate.status"] == "promote"
    assert found.tags["gate.delta_pp"] == "+45.8"
    assert "review.decision" not in found.tags
    assert found.tags["cost.usd"] == "0.002"
    assert found.description.startswith("## Promote: version 2 passes")


def test_the_dataset_is_the_runs_input_with_its_offsets(
    registry_of_one: Registry, version: ModelVersion
) -> None:
    run = MlflowClient(tracking_uri=registry_of_one.tracking_uri).get_run(version.run_id)

    (used,) = run.inputs.dataset_inputs
    assert used.dataset.name == "dataset-0123456789abcdef"
    assert used.dataset.digest == "0123456789abcdef"
    tags = {tag.key: tag.value for tag in used.tags}
    assert tags["mlflow.data.context"] == "training"
    assert tags["kafka.agent-traces.0"] == "5-120"


def test_everything_a_reviewer_may_read_is_an_artifact(
    registry_of_one: Registry, version: ModelVersion, tmp_path: Path
) -> None:
    client = MlflowClient(tracking_uri=registry_of_one.tracking_uri)
    names = {each.path for each in client.list_artifacts(version.run_id, "report")}
    fixes = json.loads(
        Path(
            client.download_artifacts(version.run_id, "report/fixes.json", str(tmp_path))
        ).read_text()
    )
    verdict = Path(client.download_artifacts(version.run_id, "report/verdict.json", str(tmp_path)))

    assert names == {
        f"report/{name}"
        for name in (
            "candidate.json", "candidate_scorecard.json", "champion_scorecard.json", "files.json",
            "fixes.json", "forest.png", "gate.html", "lineage.json", "loss.png",
            "regressions.json", "suite.json", "suite_tasks.json", "verdict.json",
        )
    }  # fmt: skip
    assert len(fixes) == 55
    assert Verdict.from_json(verdict.read_text()).promotes
    assert client.list_artifacts(version.run_id, "dataset")[0].path == "dataset/manifest.json"


def test_nothing_is_written_outside_the_registry(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)

    base = registry.register_base(model_folder(tmp_path / "base"), now=NOW)
    version = registry.register(registration_of(tmp_path, base.ref), now=NOW)
    registry.promote(version.version, by="ada", reason="better", now=NOW)

    assert list(elsewhere.iterdir()) == []


def test_names_of_slices_become_metrics_that_stay_apart() -> None:
    names = ["refund", "refund/x", "refund:x", "größe", "a" * 300]

    metrics = [metric_name(name) for name in names]

    assert metrics[0] == "refund"
    assert len(set(metrics)) == len(names)
    assert all(len(metric) < 130 for metric in metrics)


def test_every_metric_and_param_has_one_value(tmp_path: Path) -> None:
    registration = registration_of(tmp_path, ModelRef(name="desk", version="1"))

    metrics = [(key, step) for key, _, step in list_metrics(registration)]
    params = [key for key, _ in list_params(registration)]

    assert len(set(metrics)) == len(metrics)
    assert len(set(params)) == len(params)
    assert "recipe.name" in params
