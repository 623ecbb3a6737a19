"""What the tests of training share: the tiny agent, rows for it, and one round that mends it."""

from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.fixtures.tiny_rows import TinyRows, make_rows
from tests.fixtures.tiny_world import TINY_AGENT, TOOLS, TinyWorld, make_requests
from tracemill.curation.chat import ChatRequest
from tracemill.curation.dataset import Dataset, freeze
from tracemill.curation.draft import Draft
from tracemill.curation.options import CurationOptions
from tracemill.curation.row_building import Rows
from tracemill.ingest.trace import ModelRef
from tracemill.training.budget import Budget
from tracemill.training.local_model import LocalModel
from tracemill.training.plan import plan_round
from tracemill.training.recipe import Recipe, load_recipe
from tracemill.training.round import Candidate, Round
from tracemill.training.train import train

NOW = datetime(2026, 1, 1, tzinfo=UTC)
RECIPES = TINY_AGENT.with_name("recipes")


@pytest.fixture(scope="session")
def rows() -> TinyRows:
    return make_rows(100, failures=73, healthy=73)


@pytest.fixture(scope="session")
def dataset(rows: TinyRows, tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return freeze_rows(rows, tmp_path_factory.mktemp("datasets"))


def freeze_rows(rows: TinyRows, folder: Path) -> Dataset:
    return freeze(
        Draft(tasks=rows.tasks, refused={}, traces=0, sources=(), detectors={}),
        Rows(rows.examples, rows.pairs, {}, rows.unpaired),
        folder=folder,
        options=CurationOptions(),
        now=NOW,
    )


@pytest.fixture(scope="session")
def tiny_recipe() -> Recipe:
    return load_recipe(RECIPES / "tiny.toml")


@pytest.fixture(scope="session")
def mended(
    dataset: Dataset, tiny_recipe: Recipe, tmp_path_factory: pytest.TempPathFactory
) -> Candidate:
    """The candidate of one round that was left alone."""
    round_ = make_round(dataset, tiny_recipe)
    return train(round_, tmp_path_factory.mktemp("rounds"), threads=1)


def make_round(dataset: Dataset, recipe: Recipe, *, budget: Budget | None = None) -> Round:
    plan = plan_round(dataset, recipe, budget or Budget(), champion_path=TINY_AGENT)
    return Round(
        id=f"round-{recipe.name}",
        champion=ModelRef(name="tiny", version="1"),
        champion_path=TINY_AGENT,
        dataset_id=dataset.id,
        dataset_path=dataset.path,
        recipe=recipe,
        seed=0,
        plan=plan,
        created_at=NOW,
    )


def success_rates(path: Path) -> dict[str, float]:
    """Return how often the model fulfils requests that no training row holds, by slice."""
    model = LocalModel(path, ModelRef(name="tiny"), batch_size=64)
    requests = make_requests(777, 200)
    completions = model.complete(
        [ChatRequest(request.prompt, TOOLS) for request in requests],
        seed=0,
        temperature=0.0,
        max_tokens=40,
    )
    verdicts: dict[str, list[float]] = defaultdict(list)
    for request, completion in zip(requests, completions, strict=True):
        world = TinyWorld()
        world.reset(request.state)
        for call in completion.message.tool_calls if completion.message else ():
            world.call(call.name, call.parsed() or {})
        verdicts[request.slice].append(world.verdict())
    return {name: sum(values) / len(values) for name, values in verdicts.items()}
