import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, AutoTokenizer

from tests.fixtures.tiny_world import TINY_AGENT
from tracemill.errors import SettingsError
from tracemill.training.chat_template import CHAT_TEMPLATE
from tracemill.training.gguf import convert

gguf = pytest.importorskip("gguf", reason="reading GGUF needs the extra tracemill[demo]")

HEADS, LAYERS, WIDTH, INNER, CONTEXT = 4, 4, 128, 384, 512
NAMES = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
}


@pytest.fixture(scope="module")
def tiny_gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny agent as llama.cpp would hold it."""
    path = tmp_path_factory.mktemp("gguf") / "tiny.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_freq_base(10000.0)
    _add_vocabulary(writer)
    for name, tensor in load_file(TINY_AGENT / "model.safetensors").items():
        writer.add_tensor(*_as_gguf(name, tensor.numpy()))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _add_vocabulary(writer: Any) -> None:
    cutter = json.loads((TINY_AGENT / "tokenizer.json").read_text())
    vocabulary = dict(cutter["model"]["vocab"])
    vocabulary.update({token["content"]: token["id"] for token in cutter["added_tokens"]})
    tokens = sorted(vocabulary, key=vocabulary.__getitem__)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(tokens)
    writer.add_token_merges([" ".join(merge) for merge in cutter["model"]["merges"]])
    writer.add_eos_token_id(vocabulary["<|im_end|>"])


def _as_gguf(name: str, tensor: np.ndarray) -> tuple[str, np.ndarray]:
    if not name.startswith("model.layers."):
        return {"model.embed_tokens.weight": "token_embd.weight"}.get(
            name, "output_norm.weight"
        ), tensor
    number, part = name.removeprefix("model.layers.").removesuffix(".weight").split(".", 1)
    if part in ("self_attn.q_proj", "self_attn.k_proj"):
        # llama.cpp keeps the halves of each rotary pair side by side.
        pairs = tensor.reshape(HEADS, 2, WIDTH // HEADS // 2, WIDTH)
        tensor = np.ascontiguousarray(pairs.swapaxes(1, 2).reshape(tensor.shape))
    return f"blk.{number}.{NAMES[part]}.weight", tensor


def test_a_converted_model_is_the_same_model(tiny_gguf: Path, tmp_path: Path) -> None:
    folder = convert(tiny_gguf, tmp_path / "converted", dtype="float32")

    probe = torch.arange(20, 60).unsqueeze(0)
    with torch.no_grad():
        converted, original = (
            AutoModelForCausalLM.from_pretrained(path)(input_ids=probe).logits
            for path in (folder, TINY_AGENT)
        )
    torch.testing.assert_close(converted, original, rtol=1e-4, atol=1e-4)


def test_a_converted_model_can_be_trained_and_knows_tools(tiny_gguf: Path, tmp_path: Path) -> None:
    folder = convert(tiny_gguf, tmp_path / "converted")

    tokenizer = AutoTokenizer.from_pretrained(folder)
    assert AutoModelForCausalLM.from_pretrained(folder, dtype="auto").dtype == torch.bfloat16
    assert tokenizer.chat_template == CHAT_TEMPLATE
    assert tokenizer.pad_token != tokenizer.eos_token == "<|im_end|>"


def test_a_model_is_converted_once_and_again_only_where_it_differs(
    tiny_gguf: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "converted"
    weights = convert(tiny_gguf, folder) / "model.safetensors"
    first = weights.stat().st_mtime_ns

    convert(tiny_gguf, folder)
    assert weights.stat().st_mtime_ns == first

    (folder / "converted.json").unlink()
    convert(tiny_gguf, folder)
    assert weights.stat().st_mtime_ns != first


def test_a_file_that_is_missing_or_no_gguf_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF and nothing else")

    with pytest.raises(SettingsError, match=r"none\.gguf"):
        convert(tmp_path / "none.gguf", tmp_path / "converted")
    with pytest.raises(SettingsError, match=r"broken\.gguf"):
        convert(broken, tmp_path / "converted")
    assert [path.name for path in tmp_path.iterdir()] == ["broken.gguf"]
