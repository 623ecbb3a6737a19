"""Connection: a client for MLflow's address, and its errors in words that say what to do."""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar
from urllib.parse import urlsplit

from mlflow import MlflowClient
from mlflow.exceptions import MlflowException

from tracemill.errors import RegistryError

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")
_SQLITE = "sqlite:///"
_TIMEOUT_SECONDS = 5.0


def connect(tracking_uri: str) -> MlflowClient:
    """Return a client for a server (`http://…`) or a database (`sqlite:///…`).

    MLflow itself would try a dead server for minutes; here it is knocked at once. Raises
    RegistryError where nothing answers.
    """
    address = urlsplit(tracking_uri)
    if address.scheme in ("http", "https"):
        _knock(tracking_uri, str(address.hostname), address.port or _port(address.scheme))
    if tracking_uri.startswith(_SQLITE):
        Path(tracking_uri.removeprefix(_SQLITE)).parent.mkdir(parents=True, exist_ok=True)
    return MlflowClient(tracking_uri=tracking_uri, registry_uri=tracking_uri)


def _port(scheme: str) -> int:
    return 443 if scheme == "https" else 80


def _knock(tracking_uri: str, host: str, port: int) -> None:
    try:
        socket.create_connection((host, port), timeout=_TIMEOUT_SECONDS).close()
    except OSError as error:
        raise RegistryError(
            f"no MLflow answers at {tracking_uri!r} ({error}): start it, or set tracking_uri in "
            "section [registry] to where it is"
        ) from error


@contextmanager
def errors_in_words() -> Iterator[None]:
    """Raise MLflow's own errors as RegistryError."""
    try:
        yield
    except MlflowException as error:
        first_line = str(error.message).splitlines()[0]
        raise RegistryError(f"MLflow refuses: {first_line}") from error


def in_words(function: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
    """Return the function with MLflow's errors raised as RegistryError."""

    @wraps(function)
    def wrapped(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> _Result:
        with errors_in_words():
            return function(*args, **kwargs)

    return wrapped
