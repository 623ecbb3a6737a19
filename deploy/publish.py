"""Publish: a registration's figures and files into one MLflow run.

Figures are named so that MLflow's charts group them: eval/, slice/, gate/, train/, cost/. The
`mlflow.transformers` flavour is not used: a version's artifacts are the plain model folder.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

from mlflow import MlflowClient
from mlflow.entities import Dataset, DatasetInput, InputTag, Metric, Param, RunTag

from tracemill.deploy.lineage import Lineage
from tracemill.deploy.pictures import draw_pictures
from tracemill.deploy.registration import Registration
from tracemill.deploy.report import render_report
from tracemill.deploy.verification import Manifest
from tracemill.evaluation.verdict import Verdict
from tracemill.record import Record

REPORT = "report"
MANIFEST = f"{REPORT}/files.json"
SUITE_TASKS = f"{REPORT}/suite_tasks.json"
"""The ids alone: counting a suite's uses reads them of every version."""
_BATCH = 1000
"""MLflow takes so many metrics at once."""


def log_figures(
    client: MlflowClient, run_id: str, registration: Registration, *, now: datetime
) -> None:
    """Write the run's metrics, params and dataset lineage."""
    stamp = int(now.timestamp() * 1000)
    metrics = [Metric(key, value, stamp, step) for key, value, step in list_metrics(registration)]
    for start in range(0, len(metrics), _BATCH):
        client.log_batch(run_id, metrics=metrics[start : start + _BATCH])
    params = [Param(key, value[:6000]) for key, value in list_params(registration)]
    summary = RunTag("mlflow.note.content", "\n\n".join(registration.verdict.reasons)[:7900])
    client.log_batch(run_id, params=params, tags=[summary])
    client.log_inputs(run_id, datasets=[_dataset_input(registration)])


def list_metrics(registration: Registration) -> Iterator[tuple[str, float, int]]:
    """Yield each metric as (key, value, step)."""
    verdict, candidate = registration.verdict, registration.candidate
    yield "gate/promotes", float(verdict.promotes), 0
    yield "gate/excluded_tries", float(verdict.excluded), 0
    if verdict.p_value is not None:
        yield "gate/p_value", verdict.p_value, 0
    for part in [verdict.overall] if verdict.overall else []:
        yield "eval/champion_pass_rate", part.champion_rate, 0
        yield "eval/candidate_pass_rate", part.candidate_rate, 0
        yield "eval/points_gained", 100 * part.difference.estimate, 0
        yield "eval/tasks", float(part.tasks), 0
    for part in verdict.slices:
        yield f"slice/{metric_name(part.name)} champion", part.champion_rate, 0
        yield f"slice/{metric_name(part.name)} candidate", part.candidate_rate, 0
    for stage in candidate.used:
        for step, loss in stage.losses:
            yield f"train/{stage.method}_loss", loss, step
    yield "cost/seconds", candidate.seconds, 0
    yield "cost/usd", candidate.cost_usd, 0
    yield "cost/tokens", float(sum(stage.tokens for stage in candidate.used)), 0
    if registration.points_per_dollar is not None:
        yield "cost/points_per_dollar", registration.points_per_dollar, 0


def metric_name(text: str) -> str:
    """Return the text as MLflow takes it in a metric's name, still one to one.

    >>> metric_name("refund_order"), metric_name("refund/€")
    ('refund_order', 'refund__-e442')
    """
    plain = re.sub(r"[^\w .-]", "_", text, flags=re.ASCII)[:120]
    if plain == text:
        return text
    return f"{plain}-{hashlib.sha256(text.encode()).hexdigest()[:4]}"


def list_params(registration: Registration) -> Iterator[tuple[str, str]]:
    """Yield each parameter as (key, text)."""
    candidate, round_ = registration.candidate, registration.candidate.round
    yield "round", round_.id
    yield "champion", round_.champion.label
    yield "dataset", round_.dataset_id
    yield "suite", registration.suite.id
    yield "seed", str(round_.seed)
    yield "methods", " then ".join(stage.method for stage in candidate.used)
    recipe = round_.recipe.model_dump(mode="json")
    for key, value in recipe.items():
        if isinstance(value, dict):
            yield from ((f"{key}.{inner}", str(each)) for inner, each in value.items())
        else:
            yield f"recipe.{key}" if key == "name" else key, str(value)


def version_tags(verdict: Verdict) -> dict[str, str]:
    """Return what the version list shows of the verdict."""
    tags = {
        "gate.status": verdict.outcome,
        "gate.champion": verdict.champion.version or verdict.champion.name,
    }
    if verdict.overall is not None:
        change = verdict.overall.difference
        tags["gate.delta_pp"] = f"{100 * change.estimate:+.1f}"
        tags["gate.interval_pp"] = f"{100 * change.low:+.1f} to {100 * change.high:+.1f}"
    return tags


def _dataset_input(registration: Registration) -> DatasetInput:
    lineage, path = registration.lineage, registration.candidate.round.dataset_path
    rows = sum(row.rows for row in lineage.rows)
    dataset = Dataset(
        name=lineage.dataset_id,
        digest=lineage.dataset_id.rpartition("-")[2][:36],
        source_type="local",
        source=json.dumps({"uri": str(path)}),
        profile=json.dumps({"num_rows": rows}),
    )
    return DatasetInput(dataset, [InputTag("mlflow.data.context", "training"), *_offsets(lineage)])


def _offsets(lineage: Lineage) -> Iterable[InputTag]:
    for topic in lineage.topics:
        yield InputTag(
            f"kafka.{topic.topic}.{topic.partition}", f"{topic.first_offset}-{topic.last_offset}"
        )


def write_files(
    folder: Path, registration: Registration, manifest: Manifest, *, version: str
) -> None:
    """Write everything a reviewer may want to read or download, under folder/report."""
    report = folder / REPORT
    report.mkdir(parents=True)
    pictures = draw_pictures(registration)
    for picture in pictures.values():
        picture.write(report)
    (report / "gate.html").write_text(render_report(registration, pictures, version=version))
    records: dict[str, Record] = {
        "verdict": registration.verdict,
        "champion_scorecard": registration.champion_card,
        "candidate_scorecard": registration.candidate_card,
        "suite": registration.suite,
        "candidate": registration.candidate,
        "lineage": registration.lineage,
        "files": manifest,
    }
    for name, record in records.items():
        (report / f"{name}.json").write_text(record.to_json())
    task_ids = [task.id for task in registration.suite.tasks]
    (folder / SUITE_TASKS).write_text(json.dumps(task_ids))
    _write_changes(report, registration)
    _copy_dataset_manifest(folder, registration.candidate.round.dataset_path)


def write_base_files(folder: Path, manifest: Manifest) -> None:
    """Write what is known of a version that no round made, under folder/report."""
    (folder / REPORT).mkdir(parents=True)
    (folder / MANIFEST).write_text(manifest.to_json())


def _write_changes(report: Path, registration: Registration) -> None:
    changes = registration.changes
    for name, direction in (("regressions", "broken"), ("fixes", "fixed")):
        chosen = [each.model_dump(mode="json") for each in changes if each.direction == direction]
        (report / f"{name}.json").write_text(json.dumps(chosen, indent=1, ensure_ascii=False))


def _copy_dataset_manifest(folder: Path, dataset_path: Path) -> None:
    manifest = dataset_path / "manifest.json"
    if manifest.is_file():
        (folder / "dataset").mkdir()
        (folder / "dataset" / "manifest.json").write_bytes(manifest.read_bytes())
