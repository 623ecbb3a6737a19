"""Registration: a candidate with everything that a reviewer needs to judge it."""

from dataclasses import dataclass

from tracemill.curation.dataset import Dataset
from tracemill.curation.finding import FailureMode
from tracemill.deploy.lineage import Lineage, trace_lineage
from tracemill.deploy.live import LiveRate
from tracemill.deploy.transcript import Change, list_changes
from tracemill.errors import RegistryError
from tracemill.evaluation.scorecard import Scorecard
from tracemill.evaluation.suite import Suite
from tracemill.evaluation.verdict import Verdict
from tracemill.training.round import Candidate


@dataclass(frozen=True)
class Registration:
    """A candidate, its verdict, and the evidence behind both."""

    candidate: Candidate
    verdict: Verdict
    champion_card: Scorecard
    candidate_card: Scorecard
    suite: Suite
    dataset: Dataset
    modes: tuple[FailureMode, ...] = ()
    """The failure modes that the dataset's tasks name."""
    live: tuple[LiveRate, ...] = ()
    """Failure rates in production so far."""

    def refuse_mismatch(self) -> None:
        """Return if verdict and scorecards are of this candidate.

        Raises RegistryError otherwise: a verdict must never be shown with another model.
        """
        verdict = self.verdict
        told = {
            "the verdict's candidate": (verdict.candidate, self.candidate.ref),
            "the candidate's scorecard": (self.candidate_card.model, self.candidate.ref),
            "the champion's scorecard": (self.champion_card.model, verdict.champion),
            "the verdict's suite": (verdict.suite_id, self.suite.id),
            "the dataset": (self.dataset.id, self.candidate.round.dataset_id),
        }
        for what, (found, wanted) in told.items():
            if found != wanted:
                raise RegistryError(f"{what} is {found!r}, not {wanted!r}: nothing was registered")

    @property
    def lineage(self) -> Lineage:
        """What the candidate was trained on, in figures."""
        return trace_lineage(self.dataset, self.modes)

    @property
    def changes(self) -> tuple[Change, ...]:
        """The tasks that came out differently, the broken first."""
        return list_changes(self.verdict, self.suite, self.champion_card, self.candidate_card)

    @property
    def points_gained(self) -> float | None:
        """Held-out pass rate gained over the champion, in percentage points."""
        overall = self.verdict.overall
        return None if overall is None else 100 * overall.difference.estimate

    @property
    def points_per_dollar(self) -> float | None:
        """Points gained for each dollar of training compute; None where either is not known."""
        cost, gained = self.candidate.cost_usd, self.points_gained
        return None if gained is None or cost <= 0 else gained / cost
