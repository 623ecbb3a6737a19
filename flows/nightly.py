"""Nightly: the Prefect flow of one round. Its tasks are coarse; its logic is the stages'.

Run it by schedule or on demand (prefect.yaml), or call it: without a server's address Prefect
keeps the history in a database of its own. Every step is a task, so that the UI shows what took
how long and what failed.
"""

from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar, cast

from prefect import Task, flow, task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.states import Completed

from tracemill.curation.dataset import Dataset
from tracemill.curation.mine import MiningReport
from tracemill.deploy.version import ModelVersion
from tracemill.evaluation.verdict import Verdict
from tracemill.flows import artifacts, console
from tracemill.flows.improve import NightReport, Steps, improve
from tracemill.flows.intake import NothingToTrain, failure_overview
from tracemill.flows.rounds import Scorecards
from tracemill.ingest.run import IngestReport
from tracemill.settings import Settings, load_settings
from tracemill.training.round import Round

P = ParamSpec("P")
R = TypeVar("R")


def _named(name: str) -> Callable[[Callable[P, R]], Task[P, R]]:
    """A task whose result is never taken from an earlier run: what it reads has changed since."""
    return task(name=name, cache_policy=NO_CACHE)


@_named("ingest")
def ingest(settings: Settings) -> IngestReport:
    """Read the topics until caught up, and show what came."""
    report = console.ingest(settings)
    artifacts.show_ingest(report)
    return report


@_named("mine")
def mine(settings: Settings) -> MiningReport:
    """Find what went wrong and what was odd, and show it."""
    report = console.mine(settings)
    artifacts.show_failures(failure_overview(settings))
    return report


@_named("plan")
def plan(settings: Settings, dataset: Dataset, champion: ModelVersion) -> Round | NothingToTrain:
    """Say what the round will do and cost, before it does."""
    planned = console.plan(settings, dataset, champion)
    if isinstance(planned, Round):
        artifacts.show_plan(planned)
    return planned


@_named("judge")
def judge(settings: Settings, cards: Scorecards) -> Verdict:
    """Hold the candidate to the gate, and show the decision."""
    verdict = console.judge(settings, cards)
    artifacts.show_verdict(verdict)
    return verdict


TASKS = Steps(
    ingest=ingest,
    mine=mine,
    draft=_named("draft")(console.draft),
    champion=console.champion,
    build_dataset=_named("freeze the dataset")(console.build_dataset),
    plan=plan,
    train=_named("train")(console.train),
    evaluate=_named("evaluate")(console.evaluate),
    judge=judge,
    register=_named("register")(console.register),
    promote=_named("promote")(console.promote),
)


@flow(name="nightly", log_prints=True)
def nightly(
    settings_file: str = "tracemill.toml", seed: int | None = None, recipe: str | None = None
) -> NightReport:
    """Ingest until caught up, then run one round; the final state's name says what it came to.

    `seed` and `recipe` override the settings for this run.
    """
    settings = load_settings(Path(settings_file)).with_training(seed=seed, recipe=recipe)
    TASKS.ingest(settings)
    report = improve(settings, TASKS)
    name = report.outcome.title().replace(" ", "")
    state: State[NightReport] = Completed(
        name=name, message=f"{report.outcome}: {report.reason}", data=report
    )
    # A flow that returns a state ends in it, and gives its caller the data in it.
    return cast("NightReport", state)
