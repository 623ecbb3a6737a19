"""Convert a GGUF file to a Hugging Face folder that can be trained.

GGUF weights are quantized; training needs plain tensors in safetensors. A model is converted once
and cached: a folder that holds the marker of the same file is left as it is.
"""

import hashlib
import importlib.util
import os
import shutil
import struct
from pathlib import Path
from typing import TYPE_CHECKING

from tracemill.errors import SettingsError
from tracemill.record import Record
from tracemill.training.chat_template import CHAT_TEMPLATE, set_chat_template

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_MARKER = "converted.json"


class Conversion(Record):
    """What a converted folder was made of; written last, so its presence says complete."""

    gguf_sha256: str
    dtype: str
    template_sha256: str


def convert(gguf: Path, folder: Path, *, dtype: str = "bfloat16") -> Path:
    """Return `folder`, holding the model of `gguf` as safetensors of `dtype`, with tokenizer and
    our chat template.

    Does nothing where the folder was made of the same file. Raises SettingsError where the file
    is missing or cannot be read, or the `gguf` package is not installed.
    """
    _check_input(gguf)
    conversion = Conversion(
        gguf_sha256=_file_sha256(gguf),
        dtype=dtype,
        template_sha256=hashlib.sha256(CHAT_TEMPLATE.encode()).hexdigest(),
    )
    if _is_complete(folder, conversion):
        return folder
    unfinished = folder.with_name(f"{folder.name}.{os.getpid()}.unfinished")
    unfinished.mkdir(parents=True)
    try:
        _write(gguf, unfinished, dtype)
        (unfinished / _MARKER).write_text(conversion.to_json())
        shutil.rmtree(folder, ignore_errors=True)
        unfinished.rename(folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return folder


def _check_input(gguf: Path) -> None:
    if not gguf.is_file():
        raise SettingsError(f"no GGUF file at {gguf}: name an existing file")
    if importlib.util.find_spec("gguf") is None:
        raise SettingsError(
            f"reading {gguf.name} needs the package gguf: install the extra tracemill[demo]"
        )


def _is_complete(folder: Path, conversion: Conversion) -> bool:
    marker = folder / _MARKER
    return marker.is_file() and marker.read_text() == conversion.to_json()


def _write(gguf: Path, folder: Path, dtype: str) -> None:
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
        model = _load(gguf, dtype)
    except (OSError, ValueError, KeyError, struct.error) as error:
        raise SettingsError(f"{gguf} cannot be read as a GGUF model: {error}") from error
    set_chat_template(tokenizer)
    model.config.pad_token_id = tokenizer.pad_token_id
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _load(gguf: Path, dtype: str) -> "PreTrainedModel":
    import torch
    from transformers import AutoModelForCausalLM, GgufConfig

    # Without `dequantize` the model counts as quantized: it can be neither saved nor trained.
    return AutoModelForCausalLM.from_pretrained(
        gguf.parent,
        gguf_file=gguf.name,
        dtype=getattr(torch, dtype),
        quantization_config=GgufConfig(dequantize=True),
    )


def _file_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
