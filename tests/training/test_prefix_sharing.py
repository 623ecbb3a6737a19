"""Sharing changes what is computed, and no value of it."""

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import AutoModelForCausalLM
from trl.trainer.utils import add_fused_lm_head

from tests.fixtures.tiny_world import TINY_AGENT
from tracemill.training.prefix_sharing import pack, shared_prefixes

PREFIX = list(range(20, 44))


def batch(rests: list[list[int]], *, side: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Return (token ids, mask) of rows that begin with PREFIX, padded on this side."""
    width = max(map(len, rests)) + len(PREFIX)
    rows, masks = [], []
    for rest in rests:
        said = PREFIX + rest
        blank = [0] * (width - len(said))
        rows.append(blank + said if side == "left" else said + blank)
        ones = [1] * len(said)
        masks.append(blank + ones if side == "left" else ones + blank)
    return torch.tensor(rows), torch.tensor(masks)


@pytest.fixture(scope="module")
def model() -> Any:
    model = AutoModelForCausalLM.from_pretrained(TINY_AGENT)
    add_fused_lm_head(model, outputs=("log_probs", "entropy"))
    return model


@settings(max_examples=15, deadline=None)
@given(
    rests=st.lists(st.lists(st.integers(50, 500), min_size=1, max_size=9), min_size=2, max_size=5),
    side=st.sampled_from(["left", "right"]),
)
def test_the_decoder_sees_what_it_would_have_seen(rests: list[list[int]], side: str) -> None:
    model = AutoModelForCausalLM.from_pretrained(TINY_AGENT)
    token_ids, mask = batch(rests, side=side)
    places = (mask.cumsum(dim=1) - 1).clamp(min=0)
    call = {"input_ids": token_ids, "attention_mask": mask, "use_cache": False}

    with torch.no_grad():
        plain = model.model(**call, position_ids=places).last_hidden_state
        with shared_prefixes(model):
            shared = model.model(**call).last_hidden_state

    torch.testing.assert_close(shared[mask.bool()], plain[mask.bool()], rtol=1e-4, atol=1e-4)


def scores_and_gradient(
    model: Any, token_ids: torch.Tensor, mask: torch.Tensor, labels: torch.Tensor
) -> tuple[Any, torch.Tensor]:
    model.zero_grad()
    output = model(input_ids=token_ids, attention_mask=mask, labels=labels, fused_lm_head=True)
    (-output.log_probs.sum()).backward()
    return output, model.model.layers[0].mlp.up_proj.weight.grad.clone()


def test_scores_and_gradients_are_those_of_the_plain_batch(model: Any) -> None:
    token_ids, mask = batch([[60, 61, 62], [60, 70], [80, 81, 82, 83]], side="right")
    labels = token_ids.masked_fill(mask == 0, -100)
    labels[:, : len(PREFIX) + 1] = -100

    plain, plain_gradient = scores_and_gradient(model, token_ids, mask, labels)
    with shared_prefixes(model):
        shared, gradient = scores_and_gradient(model, token_ids, mask, labels)

    torch.testing.assert_close(shared.log_probs, plain.log_probs, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(shared.entropy, plain.entropy, rtol=1e-4, atol=1e-4)
    assert torch.equal(shared.label_mask, plain.label_mask)
    torch.testing.assert_close(gradient, plain_gradient, rtol=1e-3, atol=1e-4)


def test_a_label_inside_the_shared_prefix_is_scored_in_every_row(model: Any) -> None:
    token_ids, mask = batch([[60], [70, 71]], side="right")
    labels = token_ids.masked_fill(mask == 0, -100)

    plain, plain_gradient = scores_and_gradient(model, token_ids, mask, labels)
    with shared_prefixes(model):
        shared, gradient = scores_and_gradient(model, token_ids, mask, labels)

    torch.testing.assert_close(shared.log_probs, plain.log_probs, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(gradient, plain_gradient, rtol=1e-3, atol=1e-4)


def test_each_token_of_the_prefix_is_computed_once() -> None:
    packing = pack(*batch([[60, 61], [70], [80, 81, 82]], side="right"))

    assert packing is not None
    assert packing.token_ids.tolist() == [[*PREFIX, 60, 61, 70, 80, 81, 82]]
    assert packing.position_ids[0, -3:].tolist() == [24, 25, 26]


def test_rows_that_begin_otherwise_are_left_as_they_are() -> None:
    assert pack(torch.tensor([[1, 2, 3], [4, 5, 6]]), torch.ones(2, 3, dtype=torch.long)) is None
