"""Enter: write a new version of a registered model, with its run, files, tags and page."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from mlflow import MlflowClient
from mlflow.exceptions import MlflowException

from tracemill.deploy.page import PageContext, render_base_page, render_page
from tracemill.deploy.publish import log_figures, version_tags, write_base_files, write_files
from tracemill.deploy.registration import Registration
from tracemill.deploy.registry_options import Approval
from tracemill.deploy.verification import Manifest, make_manifest
from tracemill.errors import RegistryError

COMPLETE = "registered.at"
"""Tag that is written last: a version without it was never finished."""


@dataclass(frozen=True)
class Book:
    """Where versions are entered: a registered model and the experiment of its rounds."""

    client: MlflowClient
    model_name: str
    artifact_root: Path
    """Where artifacts lie, if no server holds them."""

    @property
    def experiment_id(self) -> str:
        """The experiment of the model's rounds, made where it is not there yet."""
        found = self.client.get_experiment_by_name(self.model_name)
        if found is not None:
            return str(found.experiment_id)
        is_served = self.client.tracking_uri.startswith("http")
        location = None if is_served else (self.artifact_root / self.model_name).resolve().as_uri()
        return str(self.client.create_experiment(self.model_name, artifact_location=location))

    def open(self) -> None:
        """Make the registered model where it is not there yet."""
        try:
            self.client.get_registered_model(self.model_name)
        except MlflowException as error:
            if error.error_code != "RESOURCE_DOES_NOT_EXIST":
                raise
            self.client.create_registered_model(self.model_name)


def enter_base(book: Book, folder: Path, note: str, *, now: datetime) -> str:
    """Return the number of a new version for weights that no round made."""
    manifest = make_manifest(folder)
    book.open()
    with _run(book, "base model") as run_id:
        number = _create(book, run_id, folder, manifest, {"gate.status": "base"})
        with tempfile.TemporaryDirectory() as files:
            write_base_files(Path(files), manifest)
            book.client.log_artifacts(run_id, files)
        _finish(book, number, render_base_page(note), now)
    return number


def enter_candidate(
    book: Book, registration: Registration, *, approval: Approval, now: datetime
) -> str:
    """Return the number of a new version for the candidate, its page written.

    Raises RegistryError where the weights are not those that the round recorded.
    """
    candidate = registration.candidate
    manifest = make_manifest(candidate.path)
    if manifest.weights_sha256 != candidate.weights_sha256:
        raise RegistryError(
            f"the weights in {candidate.path} are not those that round {candidate.round.id!r} "
            "made: nothing was registered"
        )
    book.open()
    with _run(book, candidate.round.id) as run_id:
        log_figures(book.client, run_id, registration, now=now)
        number = _create(book, run_id, candidate.path, manifest, _tags(registration, approval))
        with tempfile.TemporaryDirectory() as files:
            write_files(Path(files), registration, manifest, version=number)
            book.client.log_artifacts(run_id, files)
        parent = candidate.round.champion.version
        context = PageContext(number, parent, book.experiment_id, run_id, approval)
        _finish(book, number, render_page(registration, context), now)
    return number


@contextmanager
def _run(book: Book, name: str) -> Iterator[str]:
    """Open a run that is marked as failed unless the block ends well."""
    run_id = str(book.client.create_run(book.experiment_id, run_name=name).info.run_id)
    status = "FAILED"
    try:
        yield run_id
        status = "FINISHED"
    finally:
        book.client.set_terminated(run_id, status)


def _create(
    book: Book, run_id: str, folder: Path, manifest: Manifest, tags: Mapping[str, str]
) -> str:
    """Copy the folder into the artifacts and make a version of it; return its number."""
    client = book.client
    model = client.create_logged_model(
        book.experiment_id, name=book.model_name, source_run_id=run_id, model_type="agent"
    )
    client.log_model_artifacts(model.model_id, str(folder))
    client.finalize_logged_model(model.model_id, "READY")
    digests = {"weights.sha256": manifest.weights_sha256, "files.sha256": manifest.sha256}
    version = client.create_model_version(
        book.model_name,
        source=model.artifact_location,
        run_id=run_id,
        model_id=model.model_id,
        tags={**tags, **digests},
    )
    return str(version.version)


def _tags(registration: Registration, approval: Approval) -> dict[str, str]:
    round_ = registration.candidate.round
    tags = {
        **version_tags(registration.verdict),
        "round_id": round_.id,
        "dataset_id": round_.dataset_id,
        "suite_id": registration.suite.id,
        "recipe": round_.recipe.name,
        "cost.usd": f"{registration.candidate.cost_usd:.6g}",
    }
    if approval == "human":
        tags["review.decision"] = "pending"
    if round_.champion.version is not None:
        tags["parent_version"] = round_.champion.version
    return tags


def _finish(book: Book, number: str, page: str, now: datetime) -> None:
    book.client.update_model_version(book.model_name, number, description=page)
    book.client.set_model_version_tag(book.model_name, number, COMPLETE, now.isoformat())
