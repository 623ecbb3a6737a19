"""Which rows a trainer can use whole: rendered by the champion's tokenizer, within `max_length`.

TRL cuts a row that is too long, end token and all, and drops one whose prompt alone fills the
length, both in silence. Here a row is used whole or left out, and what is left out is counted.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from jinja2 import TemplateError

from tracemill.curation.rows import Example, Pair, Unpaired
from tracemill.curation.task import Task
from tracemill.errors import TrainingFailedError
from tracemill.ingest.trace import Message, ToolSpec
from tracemill.training.prefix import shared_prefix
from tracemill.training.recipe import Recipe

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

Row = TypeVar("Row", Example, Pair, Unpaired, Task)


class Fitted(NamedTuple, Generic[Row]):
    """The rows that fit, what each costs, and how many do not fit."""

    rows: tuple[Row, ...]
    tokens: dict[str, int]
    """Tokens of the row's sequences, by its id."""
    sequences: int
    """Sequences a row: 2 for the sides of a pair."""
    shared: int
    """Tokens that all sequences begin with: each step computes them once."""
    dropped: int

    def tokens_of(self, rows: Sequence[Row]) -> int:
        """Return the tokens that one pass over these rows reads."""
        return sum(self.tokens[row.id] for row in rows)

    def computed_of(self, rows: Sequence[Row], *, batch_size: int) -> int:
        """Return the tokens that one pass over these rows computes, in steps of `batch_size`."""
        steps = math.ceil(len(rows) / batch_size)
        return self.tokens_of(rows) - self.shared * (self.sequences * len(rows) - steps)


def fit_examples(
    examples: Sequence[Example], recipe: Recipe, tokenizer: "PreTrainedTokenizerBase"
) -> Fitted[Example]:
    """Return the examples that fit.

    Raises TrainingFailedError where more than the recipe's `max_dropped_share` do not.
    """
    rendered = {row.id: [_render(tokenizer, row, row.completion)] for row in examples}
    return _fit("examples", examples, rendered, recipe=recipe)


def fit_pairs(
    pairs: Sequence[Pair], recipe: Recipe, tokenizer: "PreTrainedTokenizerBase"
) -> Fitted[Pair]:
    """Return the pairs of which both sides fit.

    Raises TrainingFailedError where more than the recipe's `max_dropped_share` do not, where both
    sides of a pair are the same to the model, or where they do not begin with the same prompt,
    token for token.
    """
    rendered = {
        pair.id: [_render(tokenizer, pair, side) for side in (pair.chosen, pair.rejected)]
        for pair in pairs
    }
    for pair in pairs:
        chosen, rejected = rendered[pair.id]
        if chosen == rejected:
            raise TrainingFailedError(
                f"pair {pair.id!r} has the same chosen and rejected side: there is nothing to "
                "prefer; leave it out of the dataset"
            )
        prompt = _render(tokenizer, pair)
        if not chosen[: len(prompt)] == rejected[: len(prompt)] == prompt:
            raise TrainingFailedError(
                f"the prompt of pair {pair.id!r} has other tokens before an answer than alone: the "
                "champion's chat template looks at the last message; give it one that does not"
            )
    return _fit("pairs", pairs, rendered, recipe=recipe)


def fit_unpaired(
    rows: Sequence[Unpaired], recipe: Recipe, tokenizer: "PreTrainedTokenizerBase"
) -> Fitted[Unpaired]:
    """Return the judged answers that fit.

    Raises TrainingFailedError where more than the recipe's `max_dropped_share` do not.
    """
    rendered = {row.id: [_render(tokenizer, row, row.completion)] for row in rows}
    return _fit("judged answers", rows, rendered, recipe=recipe)


def fit_tasks(
    tasks: Sequence[Task], recipe: Recipe, tokenizer: "PreTrainedTokenizerBase"
) -> Fitted[Task]:
    """Return the tasks whose prompt and reference fit.

    Raises TrainingFailedError where more than the recipe's `max_dropped_share` do not.
    """
    rendered = {task.id: [_render(tokenizer, task, task.reference)] for task in tasks}
    return _fit("tasks", tasks, rendered, recipe=recipe)


def _fit(
    kind: str, rows: Sequence[Row], rendered: dict[str, list[list[int]]], *, recipe: Recipe
) -> Fitted[Row]:
    longest = {name: max(map(len, sequences)) for name, sequences in rendered.items()}
    fitting = tuple(row for row in rows if longest[row.id] <= recipe.max_length)
    dropped = len(rows) - len(fitting)
    _refuse_many_dropped(kind, dropped, len(rows), recipe)
    return Fitted(
        rows=fitting,
        tokens={name: sum(map(len, sequences)) for name, sequences in rendered.items()},
        sequences=max((len(sequences) for sequences in rendered.values()), default=1),
        shared=len(shared_prefix([ids for row in fitting for ids in rendered[row.id]])),
        dropped=dropped,
    )


def _refuse_many_dropped(kind: str, dropped: int, total: int, recipe: Recipe) -> None:
    if dropped > recipe.max_dropped_share * total:
        raise TrainingFailedError(
            f"{dropped} of {total} {kind} exceed max_length {recipe.max_length} of recipe "
            f"{recipe.name!r}, more than its max_dropped_share {recipe.max_dropped_share:g}: "
            "raise one of both"
        )


def _render(
    tokenizer: "PreTrainedTokenizerBase",
    row: Example | Pair | Unpaired | Task,
    *completion: Message,
) -> list[int]:
    """The tokens of the prompt, and of the completion if there is one."""
    try:
        encoded = tokenizer.apply_chat_template(
            [message.to_chat() for message in (*row.prompt, *completion)],
            tools=chat_tools(row.tools),
            return_dict=True,
        )
    except TemplateError as error:
        raise TrainingFailedError(
            f"row {row.id!r} cannot be rendered by the champion's chat template ({error}): leave "
            "it out of the dataset, or give the champion a template that takes it"
        ) from error
    token_ids: list[int] = encoded["input_ids"]
    return token_ids


def chat_tools(tools: Sequence[ToolSpec]) -> list[dict[str, object]] | None:
    """Return the tools as chat templates take them; None where there are none."""
    return [dict(tool.to_chat()) for tool in tools] or None
