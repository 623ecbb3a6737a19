"""Nightly: the Prefect flow of one round. Its tasks are coarse; its logic is the stages'.

Run it by schedule or on demand (prefect.yaml), or call it: without a server's address Prefect
keeps the history in a database of its own. Every step is a task, so that the UI shows what took
how long and what failed.
"""

from pathlib import Path
from typing import cast

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.states import Completed

from tracemill.curation.dataset import Dataset
from tracemill.curation.draft import Draft
from tracemill.curation.mine import MiningReport
from tracemill.deploy.version import ModelVersion
from tracemill.evaluation.verdict import Verdict
from tracemill.flows import artifacts, console
from tracemill.flows.improve import NightReport, Steps, improve
from tracemill.flows.intake import (
    NothingToTrain,
    failure_overview,
    undecoded_records,
    write_curation_page,
)
from tracemill.flows.reading import read_and_show
from tracemill.flows.retrying import named_task
from tracemill.flows.rounds import Scorecards
from tracemill.ingest.run import IngestReport
from tracemill.settings import Settings, load_settings
from tracemill.training.round import Round


@named_task("ingest")
def ingest(settings: Settings) -> IngestReport:
    """Read the topics until caught up, and show what came."""
    return read_and_show(settings)


@named_task("mine")
def mine(settings: Settings) -> MiningReport:
    """Find what went wrong and what was odd, and show it."""
    report = console.mine(settings)
    artifacts.show_failures(failure_overview(settings))
    return report


@named_task("freeze the dataset")
def build_dataset(settings: Settings, drafted: Draft, champion: ModelVersion) -> Dataset:
    """Try the champion on its failures, freeze the dataset, and show what went into it."""
    dataset = console.build_dataset(settings, drafted, champion)
    page = write_curation_page(settings, dataset)
    artifacts.show_dataset(dataset, undecoded_records(settings), page)
    return dataset


@named_task("plan")
def plan(settings: Settings, dataset: Dataset, champion: ModelVersion) -> Round | NothingToTrain:
    """Say what the round will do and cost, before it does."""
    planned = console.plan(settings, dataset, champion)
    if isinstance(planned, Round):
        artifacts.show_plan(planned)
    return planned


@named_task("judge")
def judge(settings: Settings, cards: Scorecards) -> Verdict:
    """Hold the candidate to the gate, and show the decision."""
    verdict = console.judge(settings, cards)
    artifacts.show_verdict(verdict)
    return verdict


TASKS = Steps(
    ingest=ingest,
    mine=mine,
    draft=named_task("draft")(console.draft),
    champion=console.champion,
    build_dataset=build_dataset,
    plan=plan,
    train=named_task("train")(console.train),
    evaluate=named_task("evaluate")(console.evaluate),
    judge=judge,
    register=named_task("register")(console.register),
    promote=named_task("promote")(console.promote),
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
