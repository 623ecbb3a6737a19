"""Recipe: the hyperparameters of one round, read from a small TOML file."""

import tomllib
from pathlib import Path

from pydantic import ValidationError

from tracemill.errors import SettingsError
from tracemill.record import Record


class LoraRecipe(Record):
    """Low-rank adapters on all linear layers."""

    rank: int = 16
    alpha: int = 32


class SftRecipe(Record):
    """Supervised fine-tuning at the decision point, with replay of healthy behaviour."""

    epochs: float = 2.0
    learning_rate: float = 2e-4
    batch_size: int = 8
    replay_share: float = 0.5
    """Share of healthy examples among the rows."""


class DpoRecipe(Record):
    """Preference optimisation with an SFT term; only where verified pairs exist."""

    epochs: float = 1.0
    learning_rate: float = 5e-6
    batch_size: int = 4
    beta: float = 0.1
    sft_weight: float = 1.0
    min_pairs: int = 8
    """Fewer pairs than this: no DPO stage."""


class Recipe(Record):
    """How one round trains."""

    name: str
    sft: SftRecipe | None = SftRecipe()
    dpo: DpoRecipe | None = None
    lora: LoraRecipe | None = LoraRecipe()
    """None: all weights are trained."""
    dtype: str = "float32"
    max_length: int = 1024
    max_dropped_share: float = 0.0
    """A stage that loses more rows than this to `max_length` fails."""


def load_recipe(path: Path) -> Recipe:
    """Return the recipe in the TOML file; SettingsError names the file and what is wrong."""
    try:
        return Recipe.model_validate(tomllib.loads(path.read_text()))
    except FileNotFoundError:
        raise SettingsError(f"no recipe at {path}: name an existing TOML file") from None
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        raise SettingsError(f"recipe {path} cannot be used: {error}") from error
