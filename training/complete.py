"""COMPLETE: the manifest that tells a folder written to its end from one whose writer died.

Trainers resume from the newest checkpoint by name, whole or not, and with an optimizer state
missing they resume wrongly and say nothing. A folder counts only with a manifest that is of the
same job and names every file with its size.
"""

from pathlib import Path

from pydantic import ValidationError

from tracemill.record import Record

_NAME = "COMPLETE"


class _Manifest(Record):
    job: str
    files: dict[str, int]
    """Size in bytes by name."""


def mark_complete(folder: Path, *, job: str) -> None:
    """Say that everything in `folder` was written for this job."""
    text = _Manifest(job=job, files=_sizes(folder)).to_json()
    unfinished = folder / f"{_NAME}.unfinished"
    unfinished.write_text(text)
    unfinished.rename(folder / _NAME)


def is_complete(folder: Path, *, job: str) -> bool:
    """Return whether `folder` was written to its end for this job, and is as it was."""
    try:
        manifest = _Manifest.from_json((folder / _NAME).read_text())
    except (OSError, ValidationError):
        return False
    return manifest.job == job and manifest.files == _sizes(folder)


def newest_checkpoint(folder: Path, *, job: str) -> Path | None:
    """Return the complete `checkpoint-N` of this job with the highest N, if there is one."""
    found = sorted(folder.glob("checkpoint-*"), key=_step, reverse=True)
    return next((path for path in found if is_complete(path, job=job)), None)


def _step(checkpoint: Path) -> int:
    number = checkpoint.name.removeprefix("checkpoint-")
    return int(number) if number.isdecimal() else -1


def _sizes(folder: Path) -> dict[str, int]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {
        str(path.relative_to(folder)): path.stat().st_size
        for path in sorted(files)
        if path.name not in (_NAME, f"{_NAME}.unfinished")
    }
