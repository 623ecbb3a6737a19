"""One MLflow database for all tests of deploy: its first migration takes ten seconds."""

import logging
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from tracemill.deploy.registry import Registry
from tracemill.deploy.registry_options import Approval


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
