"""Rounds: the steps of a night from the dataset to the registry, as plain functions.

They bring torch and MLflow with them; what only reads traces takes intake.py.
"""

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from tracemill.curation.champion_tries import try_champion
from tracemill.curation.dataset import Dataset, freeze
from tracemill.curation.draft import Draft
from tracemill.curation.kept_tries import keep_tries, known_tries
from tracemill.curation.modes import failure_modes
from tracemill.curation.row_building import rows_of
from tracemill.deploy.live import LiveRate, live_outcomes, live_rates
from tracemill.deploy.registration import Registration
from tracemill.deploy.registry import Registry
from tracemill.deploy.version import ModelVersion
from tracemill.deploy.watch import Watch, watch
from tracemill.errors import NothingToTrainError, SettingsError
from tracemill.evaluation.evaluate import evaluate
from tracemill.evaluation.gate import judge
from tracemill.evaluation.scorecard import Scorecard
from tracemill.evaluation.spending import count_use, spread_alpha
from tracemill.evaluation.suite import Suite, make_suite
from tracemill.evaluation.verdict import Verdict
from tracemill.flows.intake import NothingToTrain
from tracemill.flows.project_store import open_store
from tracemill.ingest.trace import ModelRef
from tracemill.record import content_id
from tracemill.settings import Settings
from tracemill.training.local_model import LocalModel
from tracemill.training.plan import plan_round
from tracemill.training.recipe import find_recipe
from tracemill.training.round import Candidate, Round
from tracemill.training.train import train

Progress = Callable[[str, int, int, float], None]
"""What is being done, how many are done, how many there are, and a figure (loss or pass rate)."""


class Scorecards(NamedTuple):
    """The two sides of a comparison, over one suite."""

    champion: Scorecard
    candidate: Scorecard
    suite: Suite


def open_registry(settings: Settings) -> Registry:
    """Return the registry that the settings name."""
    return Registry(
        settings.tracking_uri,
        settings.artifacts_folder,
        settings.project.name,
        approval=settings.registry.approval,
    )


def live_failures(settings: Settings) -> tuple[LiveRate, ...]:
    """Return how often each model version fails in production."""
    with open_store(settings) as store:
        return live_rates(store)


def current_champion(settings: Settings, *, now: datetime) -> ModelVersion:
    """Return the champion; where there is none yet, register the settings' base model as it.

    Raises SettingsError where there is neither.
    """
    registry = open_registry(settings)
    champion = registry.champion()
    if champion is not None:
        return champion
    base = settings.training.base_model
    if base is None:
        raise SettingsError(
            f"{settings.project.name!r} has no champion in {settings.tracking_uri}, and there is "
            "no base model to start from: set base_model in section [training]"
        )
    return registry.register_base(base, now=now)


def build_dataset(
    settings: Settings,
    drafted: Draft,
    champion: ModelVersion,
    *,
    now: datetime,
    progress: Progress | None = None,
) -> Dataset:
    """Try the champion on its own failures, make rows of the tasks, and freeze both."""
    if settings.curation.tries:
        drafted = _try_champion(settings, drafted, champion, progress)
    rows = rows_of(drafted, settings.curation)
    return freeze(
        drafted, rows, folder=settings.datasets_folder, options=settings.curation, now=now
    )


def _try_champion(
    settings: Settings, drafted: Draft, champion: ModelVersion, progress: Progress | None
) -> Draft:
    def report(done: int, total: int) -> None:
        if progress is not None:
            progress("tries", done, total, done / max(1, total))

    options, max_tokens = settings.curation, settings.evaluation.max_tokens
    with open_store(settings) as store:
        known = known_tries(store, champion.ref, options, max_tokens=max_tokens)
    tried = try_champion(
        drafted,
        LocalModel(champion.path, champion.ref, threads=settings.training.threads),
        options=options,
        max_tokens=max_tokens,
        known=known,
        progress=report,
    )
    with open_store(settings) as store:
        keep_tries(store, tried, known, options, max_tokens=max_tokens)
    return tried


def plan_next_round(
    settings: Settings, dataset: Dataset, champion: ModelVersion, *, now: datetime
) -> Round | NothingToTrain:
    """Return the round that this dataset and champion call for, with what it will cost.

    The id is made of what goes in, so the same night run again is the same round; one that is
    registered already is nothing new to train on.
    """
    if not dataset.suite_tasks:
        return NothingToTrain("no task is held out, so no candidate could be judged: more traces")
    recipe, seed = find_recipe(settings.training.recipe), settings.training.seed
    try:
        plan = plan_round(dataset, recipe, settings.budget, champion_path=champion.path)
    except NothingToTrainError as error:
        return NothingToTrain(str(error))
    round_ = Round(
        id=content_id("round", [dataset.id, champion.version, recipe.model_dump(), seed]),
        champion=champion.ref,
        champion_path=champion.path,
        dataset_id=dataset.id,
        dataset_path=dataset.path,
        recipe=recipe,
        seed=seed,
        plan=plan,
        created_at=now,
    )
    earlier = open_registry(settings).version_of_round(round_.id)
    if earlier is None:
        return round_
    return NothingToTrain(
        f"nothing new to train on: {round_.id} (this dataset, champion, recipe and seed) is "
        f"registered as version {earlier.version}"
    )


def train_candidate(
    settings: Settings, round_: Round, *, progress: Progress | None = None
) -> Candidate:
    """Train the round in a process of its own."""
    return train(
        round_, settings.rounds_folder, threads=settings.training.threads, progress=progress
    )


def evaluate_both(
    settings: Settings,
    champion: ModelVersion,
    candidate: Candidate,
    dataset: Dataset,
    *,
    progress: Progress | None = None,
) -> Scorecards:
    """Try champion and candidate on the same held-out tasks with the same seeds."""
    suite = make_suite(dataset.suite_tasks)
    sides = ((champion.path, champion.ref), (candidate.path, candidate.ref))
    cards = [
        evaluate(
            LocalModel(path, ref, threads=settings.training.threads),
            suite,
            seeds=settings.evaluation.seeds,
            temperature=settings.evaluation.temperature,
            max_tokens=settings.evaluation.max_tokens,
            progress=progress,
        )
        for path, ref in sides
    ]
    return Scorecards(cards[0], cards[1], suite)


def judge_candidate(settings: Settings, cards: Scorecards) -> Verdict:
    """Hold the candidate to the gate, with what alpha the earlier nights left of this suite."""
    use = count_use(cards.suite, open_registry(settings).past_uses())
    return judge(cards.candidate, cards.champion, cards.suite, spread_alpha(settings.gate, use))


def watch_champion(settings: Settings) -> Watch | None:
    """Return what the champion's own traces say of it; None where there is no champion."""
    registry = open_registry(settings)
    champion = registry.champion()
    if champion is None:
        return None
    with open_store(settings) as store:
        outcomes = live_outcomes(store, champion.ref)
        rates = {rate.model: rate for rate in live_rates(store)}
    before = [
        move.from_version for move in registry.history() if move.to_version == champion.version
    ]
    reference = ModelRef(name=champion.name, version=before[-1]) if before and before[-1] else None
    return watch(
        champion.ref, outcomes, rates.get(reference) if reference else None, settings.watch
    )


def judge_again(settings: Settings, version: str) -> Verdict:
    """Judge a registered version from its stored scorecards, by the rules of these settings."""
    evidence = open_registry(settings).evidence(version)
    return judge(evidence.candidate, evidence.champion, evidence.suite, settings.gate)


def register_candidate(
    settings: Settings,
    candidate: Candidate,
    dataset: Dataset,
    cards: Scorecards,
    verdict: Verdict,
    *,
    now: datetime,
) -> ModelVersion:
    """Register the candidate with its verdict and everything that a reviewer needs."""
    with open_store(settings) as store:
        modes, live = failure_modes(store), live_rates(store)
    named = {task.failure_mode for task in (*dataset.tasks, *dataset.suite_tasks)}
    registration = Registration(
        candidate=candidate,
        verdict=verdict,
        champion_card=cards.champion,
        candidate_card=cards.candidate,
        suite=cards.suite,
        dataset=dataset,
        modes=tuple(mode for mode in modes if mode.id in named),
        live=live,
    )
    return open_registry(settings).register(registration, now=now)


def promote_if_earned(
    settings: Settings, version: ModelVersion, verdict: Verdict, *, now: datetime
) -> bool:
    """Move the champion alias if the gate says so and no person has to; return whether it moved."""
    if not verdict.promotes or settings.registry.approval == "human":
        return False
    open_registry(settings).promote(
        version.version, by="tracemill nightly", reason=verdict.reasons[0], now=now
    )
    return True
