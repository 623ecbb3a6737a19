"""The steps of a night with their progress shown to a person: what the CLI and the flow run."""

from collections.abc import Callable

from rich.console import Console

from tracemill.curation.dataset import Dataset
from tracemill.curation.draft import Draft
from tracemill.curation.mine import MiningReport
from tracemill.deploy.version import ModelVersion
from tracemill.evaluation.verdict import Verdict
from tracemill.flows import intake, rounds
from tracemill.flows.clock import now
from tracemill.flows.improve import Steps
from tracemill.flows.intake import NothingToTrain
from tracemill.flows.progress import shown, shown_ingest
from tracemill.flows.rounds import Scorecards
from tracemill.ingest.run import IngestReport
from tracemill.settings import Settings
from tracemill.training.round import Candidate, Round


def ingest(
    settings: Settings, *, also: Callable[[IngestReport], None] | None = None
) -> IngestReport:
    """Read the topics until caught up; `also` is told how it goes, as the person is."""
    with shown_ingest() as show:

        def tell(so_far: IngestReport) -> None:
            show(so_far)
            if also is not None:
                also(so_far)

        return intake.ingest_traces(settings, now=now, progress=tell)


def mine(settings: Settings) -> MiningReport:
    """Run the detectors over what is new."""
    with shown("Mine") as report:
        return intake.mine_findings(
            settings, now=now(), progress=lambda done, total: report("traces", done, total, 0.0)
        )


def draft(settings: Settings) -> Draft | NothingToTrain:
    """Draft tasks from the findings."""
    with shown("Draft tasks") as report:
        return intake.draft_tasks(
            settings, progress=lambda done, total: report("traces", done, total, 0.0)
        )


def build_dataset(settings: Settings, drafted: Draft, champion: ModelVersion) -> Dataset:
    """Try the champion on its failures, freeze the dataset, and write the night's page."""
    with shown("Try the champion on its failures and freeze the dataset") as report:
        dataset = rounds.build_dataset(settings, drafted, champion, now=now(), progress=report)
    page = intake.write_curation_page(settings, dataset)
    Console().print(
        f"  from records to rows: {page}", markup=False, highlight=False, soft_wrap=True
    )
    return dataset


def champion(settings: Settings) -> ModelVersion:
    """Return the champion, registering the base model as the first one."""
    return rounds.current_champion(settings, now=now())


def plan(settings: Settings, dataset: Dataset, champion: ModelVersion) -> Round | NothingToTrain:
    """Say what the round will do and cost."""
    with shown("Plan"):
        return rounds.plan_next_round(settings, dataset, champion, now=now())


def train(settings: Settings, round_: Round) -> Candidate:
    """Train the candidate in a process of its own."""
    with shown("Train", figure="loss") as report:
        return rounds.train_candidate(settings, round_, progress=report)


def evaluate(
    settings: Settings, champion: ModelVersion, candidate: Candidate, dataset: Dataset
) -> Scorecards:
    """Try champion and candidate on the held-out tasks."""
    with shown("Evaluate on held-out tasks", figure="pass rate") as report:
        return rounds.evaluate_both(settings, champion, candidate, dataset, progress=report)


def judge(settings: Settings, cards: Scorecards) -> Verdict:
    """Hold the candidate to the gate."""
    with shown("Judge"):
        return rounds.judge_candidate(settings, cards)


def register(
    settings: Settings,
    candidate: Candidate,
    dataset: Dataset,
    cards: Scorecards,
    verdict: Verdict,
) -> ModelVersion:
    """Register the candidate with its evidence."""
    with shown("Register in MLflow"):
        return rounds.register_candidate(settings, candidate, dataset, cards, verdict, now=now())


def promote(settings: Settings, version: ModelVersion, verdict: Verdict) -> bool:
    """Move the champion alias if the verdict and the settings allow it."""
    return rounds.promote_if_earned(settings, version, verdict, now=now())


CONSOLE_STEPS = Steps(
    ingest=ingest,
    mine=mine,
    draft=draft,
    champion=champion,
    build_dataset=build_dataset,
    plan=plan,
    train=train,
    evaluate=evaluate,
    judge=judge,
    register=register,
    promote=promote,
)
