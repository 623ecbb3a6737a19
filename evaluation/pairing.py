"""Pairing: champion's and candidate's tries of the same task with the same seed, side by side.

A comparison is sound only if both scorecards answer the same questions. A try that one side has
no score for is left out on both sides and counted; it is never a failure of either.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from tracemill.curation.rollout import Rollout
from tracemill.curation.task import Task
from tracemill.evaluation.scorecard import Scorecard
from tracemill.evaluation.stats import Cluster
from tracemill.evaluation.suite import Suite, make_suite


class PairedTry(NamedTuple):
    """One task and seed that both models have a score for."""

    task_id: str
    slice: str
    group: str
    champion_passed: bool
    candidate_passed: bool
    champion_tokens: int = 0
    """Tokens that the model wrote."""
    candidate_tokens: int = 0


class Excluded(NamedTuple):
    """One task and seed that at least one model has no score for."""

    task_id: str
    slice: str
    why: str
    """The side and its status, for example "candidate infrastructure"."""


@dataclass(frozen=True)
class Pairing:
    """All tries of a comparison: each is paired or excluded."""

    tries: tuple[PairedTry, ...]
    excluded: tuple[Excluded, ...]

    @property
    def length_ratio(self) -> float | None:
        """Tokens written, candidate over champion, on what both pass; None if that is nothing."""
        both = [each for each in self.tries if each.champion_passed and each.candidate_passed]
        champion = sum(each.champion_tokens for each in both)
        return sum(each.candidate_tokens for each in both) / champion if champion else None

    @property
    def scored_share(self) -> float:
        """Share of tries that both models have a score for."""
        return len(self.tries) / (len(self.tries) + len(self.excluded))


def find_flaws(candidate: Scorecard, champion: Scorecard, suite: Suite) -> tuple[str, ...]:
    """Return, in words, everything that makes this comparison unsound; empty where it is sound.

    Raises EmptySuiteError where the suite holds no task.
    """
    flaws = list(_suite_flaws(suite))
    if candidate.seeds != champion.seeds:
        flaws.append(f"the seeds differ: candidate {candidate.seeds}, champion {champion.seeds}")
    for side, card in (("candidate", candidate), ("champion", champion)):
        flaws += [f"{side}: {flaw}" for flaw in _card_flaws(card, suite)]
    return tuple(flaws)


def _suite_flaws(suite: Suite) -> Iterable[str]:
    ids = [task.id for task in suite.tasks]
    if len(set(ids)) != len(ids):
        yield f"suite {suite.id!r} holds a task more than once"
    if make_suite(suite.tasks).id != suite.id:
        yield f"the tasks of suite {suite.id!r} are not those that its id was made of"
    for task_id in sorted(suite.guards - set(ids)):
        yield f"guard {task_id!r} is no task of suite {suite.id!r}"


def _card_flaws(card: Scorecard, suite: Suite) -> Iterable[str]:
    if card.suite_id != suite.id:
        yield f"was evaluated on suite {card.suite_id!r}, not {suite.id!r}"
    wanted = {(task.id, seed) for task in suite.tasks for seed in card.seeds}
    found = Counter((rollout.task_id, rollout.seed) for rollout in card.rollouts)
    if not card.seeds:
        yield "was evaluated with no seed"
    yield from _some("has no rollout for", sorted(wanted - set(found)))
    yield from _some("has a rollout for the unknown", sorted(set(found) - wanted))
    yield from _some("has several rollouts for", sorted(key for key in found if found[key] > 1))
    yield from _some("has no valid reward for", sorted(_invalid(card.rollouts)))
    yield from _some(
        "holds another model's rollout for",
        sorted((r.task_id, r.seed) for r in card.rollouts if r.model != card.model),
    )


def _invalid(rollouts: Iterable[Rollout]) -> Iterable[tuple[str, int]]:
    for rollout in rollouts:
        if (rollout.status == "scored") != _is_share(rollout.reward):
            yield rollout.task_id, rollout.seed


def _is_share(reward: float | None) -> bool:
    return reward is not None and 0 <= reward <= 1 + 1e-9  # false of NaN, too


def _some(what: str, keys: list[tuple[str, int]]) -> Iterable[str]:
    if keys:
        task_id, seed = keys[0]
        more = f" and {len(keys) - 1} more" if len(keys) > 1 else ""
        yield f"{what} task {task_id!r} with seed {seed}{more}"


def pair_tries(candidate: Scorecard, champion: Scorecard, suite: Suite) -> Pairing:
    """Return the tries of two scorecards without flaws, paired by task and seed."""
    ours = {(rollout.task_id, rollout.seed): rollout for rollout in candidate.rollouts}
    theirs = {(rollout.task_id, rollout.seed): rollout for rollout in champion.rollouts}
    tries, excluded = [], []
    for task in suite.tasks:
        for seed in candidate.seeds:
            mine, other = ours[task.id, seed], theirs[task.id, seed]
            why = _why_excluded(mine, other)
            if why:
                excluded.append(Excluded(task.id, task.slice, why))
            else:
                tries.append(_paired(task, mine, other))
    return Pairing(tuple(tries), tuple(excluded))


def _paired(task: Task, candidate: Rollout, champion: Rollout) -> PairedTry:
    return PairedTry(
        task_id=task.id,
        slice=task.slice,
        group=task.group,
        champion_passed=champion.passed,
        candidate_passed=candidate.passed,
        champion_tokens=champion.completion_tokens,
        candidate_tokens=candidate.completion_tokens,
    )


def _why_excluded(candidate: Rollout, champion: Rollout) -> str:
    sides = (("candidate", candidate), ("champion", champion))
    return ", ".join(f"{side} {card.status}" for side, card in sides if card.status != "scored")


def cluster_by_group(tries: Iterable[PairedTry]) -> tuple[Cluster, ...]:
    """Return the counts of each group: its tasks and their seeds share their fate."""
    groups: dict[str, list[PairedTry]] = defaultdict(list)
    for each in tries:
        groups[each.group].append(each)
    return tuple(
        Cluster(
            gained=sum(t.candidate_passed and not t.champion_passed for t in members),
            lost=sum(t.champion_passed and not t.candidate_passed for t in members),
            pairs=len(members),
        )
        for members in groups.values()
    )
