"""The weights in a folder, read as safetensors and nothing else."""

import hashlib
import json
import struct
from pathlib import Path

from tracemill.errors import TrainingFailedError


def count_parameters(folder: Path) -> int:
    """Return the number of weights in the folder's safetensors files, from their headers."""
    total = 0
    for file in weight_files(folder):
        header = _header(file)
        shapes = (entry["shape"] for name, entry in header.items() if name != "__metadata__")
        for shape in shapes:
            size = 1
            for length in shape:
                size *= length
            total += size
    return total


def weights_sha256(folder: Path) -> str:
    """Return the SHA-256 over the folder's safetensors files, by name."""
    digest = hashlib.sha256()
    for file in weight_files(folder):
        digest.update(file.name.encode())
        with file.open("rb") as content:
            digest.update(hashlib.file_digest(content, "sha256").digest())
    return digest.hexdigest()


def weight_files(folder: Path) -> tuple[Path, ...]:
    """Return the folder's safetensors files; TrainingFailedError where there are none."""
    files = tuple(sorted(folder.glob("*.safetensors")))
    if not files:
        raise TrainingFailedError(
            f"no safetensors in {folder}: name a Hugging Face folder with weights in safetensors"
        )
    return files


def _header(file: Path) -> dict[str, dict[str, list[int]]]:
    # 8 bytes of length, little-endian, then a JSON object by tensor name:
    # https://huggingface.co/docs/safetensors/index#format
    with file.open("rb") as content:
        (length,) = struct.unpack("<Q", content.read(8))
        header: dict[str, dict[str, list[int]]] = json.loads(content.read(length))
        return header
