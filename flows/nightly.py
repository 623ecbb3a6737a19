"""Nightly: the Prefect flow of one round. Its tasks are coarse; its logic is the stages'.

Run it by schedule or on demand (prefect.yaml), or call it: without a server's address Prefect
keeps the history in a database of its own. Every step is a task, so that the UI shows what took
how long and what failed.
"""

from pathlib import Path

from prefect import flow, task
from prefect.cache_policies import NO_CACHE
from prefect.states import Completed, State

from tracemill.curation.dataset import Dataset
from tracemill.curation.mine import MiningReport
from tracemill.deploy.version import ModelVersion
from tracemill.evaluation.verdict import Verdict
from tracemill.flows import artifacts, console
from tracemill.flows.improve import NightReport, Steps, improve
from tracemill.flows.steps import NothingToTrain, Scorecards, failure_overview
from tracemill.ingest.run import IngestReport
from tracemill.settings import Settings, load_settings
from tracemill.training.round import Round


@task(name="ingest", cache_policy=NO_CACHE)
def ingest(settings: Settings) -> IngestReport:
    """Read the topics until caught up, and show what came."""
    report = console.ingest(settings)
    artifacts.show_ingest(report)
    return report


@task(name="mine", cache_policy=NO_CACHE)
def mine(settings: Settings) -> MiningReport:
    """Find what went wrong and what was odd, and show it."""
    report = console.mine(settings)
    artifacts.show_failures(failure_overview(settings))
    return report


@task(name="plan", cache_policy=NO_CACHE)
def plan(settings: Settings, dataset: Dataset, champion: ModelVersion) -> Round | NothingToTrain:
    """Say what the round will do and cost, before it does."""
    planned = console.plan(settings, dataset, champion)
    if isinstance(planned, Round):
        artifacts.show_plan(planned)
    return planned


@task(name="judge", cache_policy=NO_CACHE)
def judge(settings: Settings, cards: Scorecards) -> Verdict:
    """Hold the candidate to the gate, and show the decision."""
    verdict = console.judge(settings, cards)
    artifacts.show_verdict(verdict)
    return verdict


TASKS = Steps(
    ingest=ingest,
    mine=mine,
    build_dataset=task(console.build_dataset, name="freeze the dataset", cache_policy=NO_CACHE),
    champion=console.champion,
    plan=plan,
    train=task(console.train, name="train", cache_policy=NO_CACHE),
    evaluate=task(console.evaluate, name="evaluate", cache_policy=NO_CACHE),
    judge=judge,
    register=task(console.register, name="register", cache_policy=NO_CACHE),
    promote=task(console.promote, name="promote", cache_policy=NO_CACHE),
)


@flow(name="nightly", log_prints=True)
def nightly(
    settings_file: str = "tracemill.toml", seed: int | None = None, recipe: str | None = None
) -> State[NightReport]:
    """Ingest until caught up, then run one round; the final state's name says what it came to.

    `seed` and `recipe` override the settings for this run.
    """
    settings = load_settings(Path(settings_file)).with_training(seed=seed, recipe=recipe)
    TASKS.ingest(settings)
    report = improve(settings, TASKS)
    name = report.outcome.title().replace(" ", "")
    return Completed(name=name, message=f"{report.outcome}: {report.reason}", data=report)
