"""Improve: the order of one night's steps, and what the night came to.

The steps are passed in: the plain functions of steps.py, the same wrapped as Prefect tasks, or
the same with progress bars. So there is one order of the loop, whoever runs it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from tracemill.curation.dataset import Dataset
from tracemill.curation.draft import Draft
from tracemill.curation.mine import MiningReport
from tracemill.deploy.version import ModelVersion
from tracemill.evaluation.verdict import Verdict
from tracemill.flows.intake import NothingToTrain
from tracemill.flows.rounds import Scorecards
from tracemill.ingest.run import IngestReport
from tracemill.record import Record
from tracemill.settings import Settings
from tracemill.training.round import Candidate, Round

NightOutcome = Literal[
    "promoted", "awaits approval", "held back", "insufficient evidence", "nothing to train"
]


@dataclass(frozen=True)
class Steps:
    """One callable for each step of a night."""

    ingest: Callable[[Settings], IngestReport]
    mine: Callable[[Settings], MiningReport]
    draft: Callable[[Settings], Draft | NothingToTrain]
    champion: Callable[[Settings], ModelVersion]
    build_dataset: Callable[[Settings, Draft, ModelVersion], Dataset]
    plan: Callable[[Settings, Dataset, ModelVersion], Round | NothingToTrain]
    train: Callable[[Settings, Round], Candidate]
    evaluate: Callable[[Settings, ModelVersion, Candidate, Dataset], Scorecards]
    judge: Callable[[Settings, Scorecards], Verdict]
    register: Callable[[Settings, Candidate, Dataset, Scorecards, Verdict], ModelVersion]
    promote: Callable[[Settings, ModelVersion, Verdict], bool]


class NightReport(Record):
    """What one night came to."""

    outcome: NightOutcome
    reason: str
    mined: MiningReport
    dataset_id: str | None = None
    round_id: str | None = None
    champion: str | None = None
    version: str | None = None
    verdict: Verdict | None = None
    cost_usd: float = 0.0
    seconds: float = 0.0


def improve(settings: Settings, steps: Steps) -> NightReport:
    """Run one night after its ingest: mine, draft, plan, train, evaluate, judge, register.

    Returns the report; a night in which nothing is worth training on is one of its outcomes.
    """
    mined = steps.mine(settings)
    drafted = steps.draft(settings)
    if isinstance(drafted, NothingToTrain):
        return NightReport(outcome="nothing to train", reason=drafted.reason, mined=mined)
    champion = steps.champion(settings)
    dataset = steps.build_dataset(settings, drafted, champion)
    round_ = steps.plan(settings, dataset, champion)
    if isinstance(round_, NothingToTrain):
        return NightReport(
            outcome="nothing to train", reason=round_.reason, mined=mined, dataset_id=dataset.id
        )
    candidate = steps.train(settings, round_)
    cards = steps.evaluate(settings, champion, candidate, dataset)
    verdict = steps.judge(settings, cards)
    version = steps.register(settings, candidate, dataset, cards, verdict)
    return NightReport(
        outcome=_outcome(verdict, has_moved=steps.promote(settings, version, verdict)),
        reason=verdict.reasons[0],
        mined=mined,
        dataset_id=dataset.id,
        round_id=round_.id,
        champion=champion.version,
        version=version.version,
        verdict=verdict,
        cost_usd=candidate.cost_usd,
        seconds=candidate.seconds,
    )


def _outcome(verdict: Verdict, *, has_moved: bool) -> NightOutcome:
    if has_moved:
        return "promoted"
    if verdict.outcome == "promote":
        return "awaits approval"
    return "held back" if verdict.outcome == "hold" else "insufficient evidence"
