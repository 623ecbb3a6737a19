import pytest
from transformers import AutoTokenizer

from tests.fixtures.tiny_rows import TinyRows
from tests.fixtures.tiny_world import TINY_AGENT
from tracemill.errors import TrainingFailedError
from tracemill.training.fit import fit_pairs
from tracemill.training.recipe import Recipe


def test_both_sides_of_every_pair_begin_with_the_tokens_of_the_prompt(
    rows: TinyRows, tiny_recipe: Recipe
) -> None:
    tokenizer = AutoTokenizer.from_pretrained(TINY_AGENT)

    fitted = fit_pairs(rows.pairs, tiny_recipe, tokenizer)

    assert fitted.rows == rows.pairs


def test_a_template_that_renders_the_prompt_by_what_follows_it_stops_the_plan_and_names_the_pair(
    rows: TinyRows, tiny_recipe: Recipe
) -> None:
    tokenizer = AutoTokenizer.from_pretrained(TINY_AGENT)
    tokenizer.chat_template = "{{ messages[-1].role }}" + tokenizer.chat_template

    with pytest.raises(TrainingFailedError, match="other tokens before an answer than alone") as it:
        fit_pairs(rows.pairs, tiny_recipe, tokenizer)

    assert repr(rows.pairs[0].id) in str(it.value)
