"""One MLflow database for all tests of deploy: its first migration takes ten seconds.

Each test has a registered model of its own in it.
"""

import logging
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from mlflow import MlflowClient

from tests.deploy.rounds import NOW, model_folder
from tracemill.deploy.registry import Registry
from tracemill.deploy.registry_options import Approval
from tracemill.deploy.version import ModelVersion


@pytest.fixture(scope="session")
def mlflow_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    logging.getLogger("alembic").setLevel(logging.WARNING)
    return tmp_path_factory.mktemp("mlflow")


@pytest.fixture(scope="session")
def model_numbers() -> Iterator[int]:
    return count(1)


@pytest.fixture
def open_registry(
    mlflow_folder: Path, model_numbers: Iterator[int]
) -> Callable[[Approval], Registry]:
    """Return a registered model of its own, for each call of one test the same."""
    name = f"desk-{next(model_numbers)}"

    def open_(approval: Approval = "auto") -> Registry:
        uri = f"sqlite:///{mlflow_folder / 'mlflow.db'}"
        return Registry(uri, mlflow_folder / "artifacts", name, approval=approval)

    return open_


@pytest.fixture
def registry(open_registry: Callable[[Approval], Registry]) -> Registry:
    return open_registry("auto")


@pytest.fixture
def client(registry: Registry) -> MlflowClient:
    return MlflowClient(tracking_uri=registry.tracking_uri)


@pytest.fixture
def base(registry: Registry, tmp_path: Path) -> ModelVersion:
    """The first champion."""
    return registry.register_base(model_folder(tmp_path / "base"), note="SmolLM2", now=NOW)
