"""Artifacts: where a version's files are on this machine, and that they are the registered ones."""

import shutil
import tempfile
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import mlflow
from mlflow import MlflowClient
from mlflow.entities.model_registry import ModelVersion as MlflowVersion
from mlflow.exceptions import MlflowException
from pydantic import ValidationError

from tracemill.deploy.publish import MANIFEST
from tracemill.deploy.verification import Manifest, verify_folder
from tracemill.errors import RegistryError


class ArtifactFolders:
    """The model folders of registered versions.

    Where MLflow keeps artifacts on this machine, a folder is used in place; else it is
    downloaded below `root` once.
    """

    def __init__(self, client: MlflowClient, root: Path) -> None:
        self._client = client
        self._root = root

    def locate(self, version: MlflowVersion) -> Path:
        """Return where the version's folder is, or would be downloaded to."""
        local = _local(self._uri(version))
        return local or self._root / "downloaded" / version.name / str(version.version)

    def fetch(self, version: MlflowVersion, *, anew: bool = False) -> Path:
        """Return the version's folder, downloaded where it is not on this machine.

        Raises RegistryError where its files are gone.
        """
        folder = self.locate(version)
        uri = self._uri(version)
        if urlsplit(uri).scheme == "file":
            if not folder.is_dir():
                raise RegistryError(
                    f"the files of version {version.version} are gone from {folder}"
                )
            return folder
        if anew or not folder.is_dir():
            self._download(uri, folder)
        return folder

    def verify(self, version: MlflowVersion) -> Path:
        """Return the version's folder, read back and found to be what was registered.

        Raises RegistryError that names the file which is missing, new or different.
        """
        folder = self.fetch(version, anew=True)
        manifest = self._manifest(version)
        if manifest.weights_sha256 != version.tags.get("weights.sha256"):
            raise RegistryError(
                f"version {version.version} names other weights than its list of files"
            )
        verify_folder(folder, manifest)
        return folder

    def read_report(self, run_id: str, name: str) -> str:
        """Return the text of an artifact of the run; RegistryError where it is gone."""
        local = _local(str(self._client.get_run(run_id).info.artifact_uri))
        with tempfile.TemporaryDirectory() as folder:
            try:
                if local is None:
                    return Path(self._client.download_artifacts(run_id, name, folder)).read_text()
                return (local / name).read_text()
            except (MlflowException, OSError) as error:
                raise RegistryError(f"run {run_id!r} has no {name!r}: {error}") from error

    def _manifest(self, version: MlflowVersion) -> Manifest:
        try:
            manifest = Manifest.from_json(self.read_report(str(version.run_id), MANIFEST))
        except ValidationError as error:
            raise RegistryError(
                f"the list of files of version {version.version} cannot be read"
            ) from error
        if manifest.sha256 != version.tags.get("files.sha256"):
            raise RegistryError(
                f"the list of files of version {version.version} is not the one registered"
            )
        return manifest

    def _uri(self, version: MlflowVersion) -> str:
        return str(self._client.get_model_version_download_uri(version.name, version.version))

    def _download(self, uri: str, folder: Path) -> None:
        """Download beside and move into place, so that a folder there is a whole one."""
        folder.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(prefix=".downloading-", dir=folder.parent))
        try:
            got = mlflow.artifacts.download_artifacts(
                artifact_uri=uri, dst_path=str(beside), tracking_uri=self._client.tracking_uri
            )
            shutil.rmtree(folder, ignore_errors=True)
            Path(got).replace(folder)
        finally:
            shutil.rmtree(beside, ignore_errors=True)


def _local(uri: str) -> Path | None:
    """Return the path that a file: address names; None for any other address."""
    parts = urlsplit(uri)
    return Path(url2pathname(parts.path)) if parts.scheme == "file" else None
