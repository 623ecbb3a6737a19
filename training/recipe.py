"""Recipe: the hyperparameters of one round, read from a small TOML file."""

import tomllib
from pathlib import Path
from typing import Literal, Self

from pydantic import ValidationError, model_validator

from tracemill.errors import SettingsError
from tracemill.record import Record

SHIPPED_RECIPES = Path(__file__).with_name("recipes")


class LoraRecipe(Record):
    """Low-rank adapters on all linear layers."""

    rank: int = 16
    alpha: int = 32


class SftRecipe(Record):
    """Supervised fine-tuning at the decision point, with replay of healthy behaviour."""

    epochs: float = 2.0
    learning_rate: float = 2e-4
    batch_size: int = 8
    """Rows of one step, over all processes."""
    replay_share: float = 0.5
    """Share of healthy examples among the rows."""


class DpoRecipe(Record):
    """Preference optimisation with an SFT term; only where verified pairs exist."""

    epochs: float = 1.0
    learning_rate: float = 5e-6
    batch_size: int = 4
    """Pairs of one step, over all processes."""
    beta: float = 0.1
    sft_weight: float = 1.0
    """0: the preference loss alone, which on few pairs unlearns what it does not mention."""
    min_pairs: int = 8
    """Fewer pairs than this: no DPO stage."""
    max_pairs: int | None = None
    """More pairs than this are left out."""


class KtoRecipe(Record):
    """Learning from judgements of single answers, good or bad, where no pair can be made."""

    epochs: float = 1.0
    learning_rate: float = 5e-6
    batch_size: int = 8
    """Answers of one step, over all processes; at least two in each."""
    beta: float = 0.1
    min_rows: int = 16
    """Fewer judgements than this, or of one kind alone: no KTO stage."""


class GrpoRecipe(Record):
    """Reinforcement learning: the model tries, the tasks' checks are the reward.

    It learns only what the model sometimes does: a task that it always or never solves gives
    nothing. Sampling takes most of the time, so this is for a GPU or a very small model.
    """

    steps: int = 50
    learning_rate: float = 1e-5
    batch_size: int = 64
    """Tries of one step, over all processes."""
    group_size: int = 8
    """Tries at one task, which are compared with each other; it divides `batch_size`."""
    max_tokens: int = 64
    """Of one try; a longer one counts as failed and is not learnt from."""
    replay_share: float = 0.5
    """Share of healthy tasks among the tasks."""
    min_tasks: int = 8
    """Fewer tasks within reach than this: no GRPO stage."""


class Recipe(Record):
    """How one round trains. A section that is absent from the file is not done."""

    name: str
    sft: SftRecipe | None = None
    dpo: DpoRecipe | None = None
    kto: KtoRecipe | None = None
    grpo: GrpoRecipe | None = None
    lora: LoraRecipe | None = None
    """None: all weights are trained."""
    dtype: Literal["float32", "bfloat16"] = "float32"
    """Of the weights in training; bfloat16 wants `lora`, whose adapters stay float32."""
    max_length: int = 1024
    """Tokens of a row, prompt and completion; a longer row is dropped and counted, never cut."""
    max_dropped_share: float = 0.0
    """A stage that loses more rows than this to `max_length` fails."""
    checkpoint_steps: int = 50
    """Steps between checkpoints, from which a killed round resumes."""

    @model_validator(mode="after")
    def _does_something(self) -> Self:
        if not any((self.sft, self.dpo, self.kto, self.grpo)):
            raise ValueError("a recipe needs a section [sft], [dpo], [kto] or [grpo]")
        return self


def load_recipe(path: Path) -> Recipe:
    """Return the recipe in the TOML file; SettingsError names the file and what is wrong."""
    try:
        return Recipe.model_validate(tomllib.loads(path.read_text()))
    except FileNotFoundError:
        raise SettingsError(f"no recipe at {path}: name an existing TOML file") from None
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        raise SettingsError(f"recipe {path} cannot be used: {error}") from error


def find_recipe(name: str) -> Recipe:
    """Return the recipe of a TOML file's path, or of the name of a shipped one.

    Raises SettingsError: no such file or name, or a file that cannot be used.
    """
    if name.endswith(".toml"):
        return load_recipe(Path(name))
    shipped = sorted(path.stem for path in SHIPPED_RECIPES.glob("*.toml"))
    if name not in shipped:
        raise SettingsError(
            f"no recipe {name!r}: name a shipped one ({', '.join(shipped)}) or a .toml file"
        )
    return load_recipe(SHIPPED_RECIPES / f"{name}.toml")
