import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM, AutoTokenizer

from tests.fixtures.tiny_world import TINY_AGENT
from tracemill.errors import TrainingFailedError
from tracemill.training.integrity import SavedDifference, compare_saved, verify
from tracemill.training.weights import count_parameters, weights_sha256

NO_DIFFERENCE = SavedDifference(logits=0.0, merge_shift=0.0)


@pytest.fixture
def candidate(tmp_path: Path) -> Path:
    """A copy of the tiny agent with one matrix changed."""
    folder = tmp_path / "candidate"
    shutil.copytree(TINY_AGENT, folder)
    change(folder, 0.5)
    return folder


def change(folder: Path, factor: float) -> None:
    weights = load_file(folder / "model.safetensors")
    weights["model.layers.0.mlp.up_proj.weight"] *= factor
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


def test_a_changed_copy_of_the_champion_is_sound(candidate: Path) -> None:
    report = verify(candidate, NO_DIFFERENCE, champion=TINY_AGENT)

    assert 0 < report.weights_changed_share < 0.1
    assert report.has_same_tokenizer
    assert report.has_same_chat_template


def test_the_champions_own_weights_are_no_candidate() -> None:
    with pytest.raises(TrainingFailedError, match="no weight changed"):
        verify(TINY_AGENT, NO_DIFFERENCE, champion=TINY_AGENT)


def test_weights_that_are_no_numbers_are_refused(candidate: Path) -> None:
    change(candidate, float("nan"))

    with pytest.raises(TrainingFailedError, match="not finite"):
        verify(candidate, NO_DIFFERENCE, champion=TINY_AGENT)


def test_another_chat_template_is_refused(candidate: Path) -> None:
    template = candidate / "chat_template.jinja"
    template.write_text(template.read_text() + " ")

    with pytest.raises(TrainingFailedError, match="another tokenizer or chat template"):
        verify(candidate, NO_DIFFERENCE, champion=TINY_AGENT)


def test_another_vocabulary_is_refused(candidate: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(candidate)
    tokenizer.add_tokens(["<new>"])
    tokenizer.save_pretrained(candidate)

    with pytest.raises(TrainingFailedError, match="another tokenizer or chat template"):
        verify(candidate, NO_DIFFERENCE, champion=TINY_AGENT)


def test_saved_weights_that_answer_otherwise_are_refused(candidate: Path) -> None:
    trained = AutoModelForCausalLM.from_pretrained(TINY_AGENT)

    assert compare_saved(trained, trained, TINY_AGENT) == NO_DIFFERENCE
    with pytest.raises(TrainingFailedError, match="answer otherwise"):
        compare_saved(trained, trained, candidate)


def test_parameters_are_counted_from_the_file_alone() -> None:
    model = AutoModelForCausalLM.from_pretrained(TINY_AGENT)
    unique = {id(parameter): parameter.numel() for parameter in model.parameters()}

    assert count_parameters(TINY_AGENT) == sum(unique.values())


def test_a_folder_without_safetensors_is_refused(tmp_path: Path) -> None:
    torch.save({}, tmp_path / "pytorch_model.bin")

    with pytest.raises(TrainingFailedError, match="no safetensors"):
        weights_sha256(tmp_path)
