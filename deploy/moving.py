"""Moving: one process of a machine at a time looks at a model's champion and moves it.

MLflow sets an alias whatever it was: of two promotions at once each would find the former champion,
and the second put a version over the first that was never compared with it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from tracemill.errors import RegistryError

TURN_SECONDS = 600.0
"""A move reads the version's files, which may be many gigabytes."""


@contextmanager
def alone(folder: Path, model_name: str, *, wait_seconds: float = TURN_SECONDS) -> Iterator[None]:
    """Hold the file in the folder that whoever moves this model's champion holds.

    Raises RegistryError if another process still has it after so long.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / f"{model_name}.moving")
    try:
        lock.acquire(timeout=wait_seconds)
    except Timeout as error:
        raise RegistryError(
            f"another process has been moving the champion of {model_name!r} for over "
            f"{wait_seconds:g} s: see whether it hangs, and try again"
        ) from error
    try:
        yield
    finally:
        lock.release()
