import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.deploy.rounds import model_folder
from tracemill.deploy.verification import (
    Manifest,
    check_safetensors,
    make_manifest,
    verify_folder,
)
from tracemill.errors import RegistryError
from tracemill.training.weights import weights_sha256


def test_a_manifest_lists_every_file_and_is_read_back(tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "model")

    manifest = make_manifest(folder)

    names = [each.path for each in manifest.files]
    assert names == ["chat_template.jinja", "config.json", "model.safetensors"]
    assert manifest.weights_sha256 == weights_sha256(folder)
    assert Manifest.from_json(manifest.to_json()) == manifest
    verify_folder(folder, manifest)


@pytest.mark.parametrize("name", ["pytorch_model.bin", "optimizer.pt", "modeling.py", "x.PKL"])
def test_a_file_that_may_run_code_is_refused(tmp_path: Path, name: str) -> None:
    folder = model_folder(tmp_path / "model")
    (folder / name).write_bytes(b"x")

    with pytest.raises(RegistryError, match="may run code"):
        make_manifest(folder)


def test_a_folder_without_weights_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")

    with pytest.raises(RegistryError, match="no safetensors"):
        make_manifest(tmp_path)
    with pytest.raises(RegistryError, match="the folder is not there"):
        make_manifest(tmp_path / "none")


def _write(path: Path, header: object, body: bytes) -> Path:
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + body)
    return path


def tensor(begin: int, end: int, *shape: int, dtype: str = "F32") -> dict[str, object]:
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [begin, end]}


def test_a_sound_header_passes(tmp_path: Path) -> None:
    header = {"__metadata__": {"format": "pt"}, "a": tensor(0, 8, 2), "b": tensor(8, 12, 1)}

    check_safetensors(_write(tmp_path / "x.safetensors", header, bytes(12)))


@pytest.mark.parametrize(
    ("header", "body", "message"),
    [
        ({"a": tensor(0, 8, 2)}, bytes(7), "holds .* bytes, its header says"),
        ({"a": tensor(0, 8, 3)}, bytes(8), "cannot take 8 bytes"),
        ({"a": tensor(0, 8, 2), "b": tensor(4, 12, 2)}, bytes(12), "a gap or an overlap"),
        ({"a": tensor(0, 8, 2), "b": tensor(12, 16, 1)}, bytes(16), "a gap or an overlap"),
        ({"a": {"dtype": "F32"}}, bytes(8), "no readable safetensors header"),
        ({"a": tensor(0, 8, 2, dtype="Q9")}, bytes(8), "no readable safetensors header"),
        (["a"], bytes(8), "no readable safetensors header"),
    ],
)
def test_a_header_that_does_not_fit_its_bytes_is_refused(
    tmp_path: Path, header: object, body: bytes, message: str
) -> None:
    path = _write(tmp_path / "x.safetensors", header, body)

    with pytest.raises(RegistryError, match=message):
        check_safetensors(path)


@settings(max_examples=60)
@given(st.binary(max_size=64))
def test_no_bytes_whatever_break_the_check(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.mktemp("any") / "x.safetensors"
    path.write_bytes(content)

    with pytest.raises(RegistryError):
        check_safetensors(path)


@settings(max_examples=40)
@given(place=st.integers(0, 10_000), bit=st.integers(0, 7))
def test_a_single_changed_bit_is_found(
    tmp_path_factory: pytest.TempPathFactory, place: int, bit: int
) -> None:
    folder = model_folder(tmp_path_factory.mktemp("bits") / "model")
    manifest = make_manifest(folder)
    weights = folder / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[place % len(content)] ^= 1 << bit
    weights.write_bytes(content)

    with pytest.raises(RegistryError):
        verify_folder(folder, manifest)
