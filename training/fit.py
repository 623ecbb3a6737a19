"""Which rows a trainer can use whole: rendered by the champion's tokenizer, within `max_length`.

TRL cuts a row that is too long, end token and all, and drops one whose prompt alone fills the
length, both in silence. Here a row is used whole or left out, and what is left out is counted.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from tracemill.curation.rows import Example, Pair
from tracemill.errors import TrainingFailedError
from tracemill.ingest.trace import Message, ToolSpec
from tracemill.training.recipe import Recipe

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

Row = TypeVar("Row", Example, Pair)


class Fitted(NamedTuple, Generic[Row]):
    """The rows that fit, what each costs, and how many do not fit."""

    rows: tuple[Row, ...]
    tokens: dict[str, int]
    """Tokens that one pass over the row reads, by its id."""
    dropped: int

    def tokens_of(self, rows: Sequence[Row]) -> int:
        """Return the tokens that one pass over these rows reads."""
        return sum(self.tokens[row.id] for row in rows)


def fit_examples(
    examples: Sequence[Example], recipe: Recipe, tokenizer: "PreTrainedTokenizerBase"
) -> Fitted[Example]:
    """Return the examples that fit.

    Raises TrainingFailedError where more than the recipe's `max_dropped_share` do not.
    """
    lengths = {row.id: _count(tokenizer, row, row.completion) for row in examples}
    rows = tuple(row for row in examples if lengths[row.id] <= recipe.max_length)
    dropped = len(examples) - len(rows)
    _refuse_many_dropped("examples", dropped, len(examples), recipe)
    return Fitted(rows, lengths, dropped)


def fit_pairs(
    pairs: Sequence[Pair], recipe: Recipe, tokenizer: "PreTrainedTokenizerBase"
) -> Fitted[Pair]:
    """Return the pairs of which both sides fit.

    Raises TrainingFailedError where more than the recipe's `max_dropped_share` do not, or where
    both sides of a pair are the same to the model.
    """
    tokens: dict[str, int] = {}
    rows: list[Pair] = []
    for pair in pairs:
        chosen, rejected = (_render(tokenizer, pair, side) for side in (pair.chosen, pair.rejected))
        if chosen == rejected:
            raise TrainingFailedError(
                f"pair {pair.id!r} has the same chosen and rejected side: there is nothing to "
                "prefer; leave it out of the dataset"
            )
        tokens[pair.id] = len(chosen) + len(rejected)
        if max(len(chosen), len(rejected)) <= recipe.max_length:
            rows.append(pair)
    dropped = len(pairs) - len(rows)
    _refuse_many_dropped("pairs", dropped, len(pairs), recipe)
    return Fitted(tuple(rows), tokens, dropped)


def _refuse_many_dropped(kind: str, dropped: int, total: int, recipe: Recipe) -> None:
    if dropped > recipe.max_dropped_share * total:
        raise TrainingFailedError(
            f"{dropped} of {total} {kind} exceed max_length {recipe.max_length} of recipe "
            f"{recipe.name!r}, more than its max_dropped_share {recipe.max_dropped_share:g}: "
            "raise one of both"
        )


def _count(tokenizer: "PreTrainedTokenizerBase", row: Example | Pair, completion: Message) -> int:
    return len(_render(tokenizer, row, completion))


def _render(
    tokenizer: "PreTrainedTokenizerBase", row: Example | Pair, completion: Message
) -> list[int]:
    encoded = tokenizer.apply_chat_template(
        [message.to_chat() for message in (*row.prompt, completion)],
        tools=chat_tools(row.tools),
        return_dict=True,
    )
    token_ids: list[int] = encoded["input_ids"]
    return token_ids


def chat_tools(tools: Sequence[ToolSpec]) -> list[dict[str, object]] | None:
    """Return the tools as chat templates take them; None where there are none."""
    return [dict(tool.to_chat()) for tool in tools] or None
