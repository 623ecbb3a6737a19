"""Round: one training run with its plan, its data and its cost; Candidate: what it made."""

from datetime import datetime
from pathlib import Path
from typing import Literal

from tracemill.ingest.trace import ModelRef
from tracemill.record import Record
from tracemill.training.recipe import Recipe

StageName = Literal["sft", "dpo", "kto", "grpo"]


class StagePlan(Record):
    """What one trainer of the round is to do."""

    method: StageName
    rows: int
    steps: int
    tokens: int
    """Tokens that will be read, over all epochs."""
    seconds: float
    """Estimated."""


class RoundPlan(Record):
    """What will be spent, said before it is."""

    stages: tuple[StagePlan, ...]
    seconds: float
    cost_usd: float
    reasons: tuple[str, ...]
    """Why these methods, and why not the others."""
    limit_seconds: float | None = None
    """The budget: near it the round saves what it has and stops. None: no limit."""
    usd_per_hour: float = 0.0


class Round(Record):
    """One training run."""

    id: str
    champion: ModelRef
    champion_path: Path
    dataset_id: str
    dataset_path: Path
    recipe: Recipe
    seed: int
    plan: RoundPlan
    created_at: datetime


class StageUse(Record):
    """What one trainer really did."""

    method: StageName
    rows_given: int
    rows_trained: int
    steps: int
    tokens: int
    seconds: float
    first_loss: float
    last_loss: float
    losses: tuple[tuple[int, float], ...]
    """(step, loss)"""
    rewards: tuple[tuple[int, float], ...] = ()
    """(step, mean reward of the step's tries), of GRPO."""
    is_cut: bool = False
    """Whether the budget stopped it before its last step."""


class IntegrityReport(Record):
    """The checks that a candidate passed before anybody may evaluate it."""

    weights_changed_share: float
    """Share of the model's matrices that differ from the champion's."""
    max_logit_difference: float
    """Between the model in memory and the one reloaded from disk, on a probe."""
    merge_shift: float = 0.0
    """Mean total variation distance (0 to 1) of next-token distributions, before and after
    adapters were merged into the weights."""
    has_same_tokenizer: bool
    has_same_chat_template: bool


class Candidate(Record):
    """What a round made: weights that load as a plain Hugging Face folder."""

    id: str
    round: Round
    ref: ModelRef
    path: Path
    render_fingerprint: str
    """Of the chat template and tokenizer: production's must be the same."""
    weights_sha256: str
    used: tuple[StageUse, ...]
    seconds: float
    cost_usd: float
    integrity: IntegrityReport
    remarks: tuple[str, ...] = ()
    """What went otherwise than planned: a stage cut by the limit or left out, a resumed try."""
