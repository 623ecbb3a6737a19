"""Verification: are the files of a model still those that were registered, and safe to load?"""

import hashlib
import json
import math
from pathlib import Path

from tracemill.errors import RegistryError, TrainingFailedError
from tracemill.record import Record
from tracemill.training.weights import weight_files, weights_sha256

_BITS = {
    "BOOL": 8, "U8": 8, "I8": 8, "F8_E5M2": 8, "F8_E4M3": 8, "U16": 16, "I16": 16, "F16": 16,
    "BF16": 16, "U32": 32, "I32": 32, "F32": 32, "U64": 64, "I64": 64, "F64": 64,
}  # fmt: skip
_UNSAFE = (".bin", ".pt", ".pth", ".pkl", ".pickle", ".ckpt", ".py", ".so", ".h5", ".npy", ".npz")


class FileRecord(Record):
    """One file of a model."""

    path: str
    """Relative to the model's folder."""
    bytes: int
    sha256: str


class Manifest(Record):
    """All files of a model, and the digest of its weights."""

    files: tuple[FileRecord, ...]
    weights_sha256: str

    @property
    def sha256(self) -> str:
        """Digest of the manifest itself."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()


def make_manifest(folder: Path) -> Manifest:
    """Return the manifest of a model's folder, which must be safe and sound.

    Raises RegistryError: no such folder, no weights, a file that could run code when loaded, a
    weights file whose header and length do not fit.
    """
    if not folder.is_dir():
        raise RegistryError(f"no model at {folder}: the folder is not there")
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    for path in files:
        if path.suffix.lower() in _UNSAFE:
            raise RegistryError(
                f"{path} may run code when it is loaded: keep weights as safetensors only"
            )
    try:
        weights = weight_files(folder)
    except TrainingFailedError as error:
        raise RegistryError(str(error)) from error
    for path in weights:
        check_safetensors(path)
    records = (
        FileRecord(
            path=path.relative_to(folder).as_posix(),
            bytes=path.stat().st_size,
            sha256=_sha256(path),
        )
        for path in files
    )
    return Manifest(files=tuple(records), weights_sha256=weights_sha256(folder))


def verify_folder(folder: Path, expected: Manifest) -> None:
    """Return if the folder holds exactly the files of the manifest.

    Raises RegistryError with the first file that is missing, new or different.
    """
    found = {each.path: each for each in make_manifest(folder).files}
    wanted = {each.path: each for each in expected.files}
    for path in sorted(found.keys() | wanted.keys()):
        if path not in found:
            raise RegistryError(f"{folder / path} is missing: it was there when registered")
        if path not in wanted:
            raise RegistryError(f"{folder / path} was not there when the version was registered")
        if found[path] != wanted[path]:
            raise RegistryError(
                f"{folder / path} is not the file that was registered (SHA-256 "
                f"{found[path].sha256[:12]}…, registered {wanted[path].sha256[:12]}…)"
            )


def check_safetensors(path: Path) -> None:
    """Return if the file's header describes exactly the bytes that follow it.

    Format: 8 bytes of length, little-endian, a JSON object of tensors, then their bytes
    (https://huggingface.co/docs/safetensors/index#format). Raises RegistryError.
    """
    size = path.stat().st_size
    with path.open("rb") as content:
        length = int.from_bytes(content.read(8), "little")
        if not 0 < length <= size - 8:
            raise RegistryError(f"{path} is cut short or no safetensors file")
        try:
            header = json.loads(content.read(length))
            spans = sorted(_span(entry) for name, entry in header.items() if name != "__metadata__")
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise RegistryError(f"{path} has no readable safetensors header: {error}") from error
    end = 0
    for begin, stop in spans:
        if begin != end:
            raise RegistryError(f"{path} has a gap or an overlap between tensors at byte {end}")
        end = stop
    if 8 + length + end != size:
        raise RegistryError(f"{path} holds {size} bytes, its header says {8 + length + end}")


def _span(entry: dict[str, object]) -> tuple[int, int]:
    """Return where the tensor's bytes begin and stop; ValueError where shape and bytes differ."""
    begin, stop = (int(str(offset)) for offset in _list(entry["data_offsets"]))
    elements = math.prod(int(str(length)) for length in _list(entry["shape"]))
    if (stop - begin) * 8 != elements * _BITS[str(entry["dtype"])]:
        raise ValueError(f"a tensor of shape {entry['shape']} cannot take {stop - begin} bytes")
    return begin, stop


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError(f"a list is wanted, not {value!r}")
    return value


def _sha256(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
