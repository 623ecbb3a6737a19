"""Gate: champion's and candidate's scorecards over one suite → Verdict.

In this order: is the comparison sound, is there enough of it, is anything lost that must not be,
is the candidate better. Whatever is missing leads away from promotion.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tracemill.evaluation import wording
from tracemill.evaluation.comparison import PartFinding, compare_overall, compare_slices
from tracemill.evaluation.gate_rules import GateRules
from tracemill.evaluation.pairing import Pairing, find_flaws, pair_tries
from tracemill.evaluation.scorecard import Scorecard
from tracemill.evaluation.suite import Suite
from tracemill.evaluation.verdict import Verdict, VerdictOutcome


@dataclass(frozen=True)
class _Evidence:
    """Everything that the decision rests on."""

    pairing: Pairing
    overall: PartFinding
    slices: tuple[PartFinding, ...]
    p_value: float
    guards: frozenset[str]

    @property
    def parts(self) -> tuple[PartFinding, ...]:
        return (self.overall, *self.slices)

    def reasons(self, outcome: str) -> list[str]:
        """Return the reasons of the parts that came out so, slices first."""
        parts = (*self.slices, self.overall)
        return [part.result.reason for part in parts if part.result.outcome == outcome]


@dataclass(frozen=True)
class _Decision:
    outcome: VerdictOutcome
    deciding: Sequence[str]
    needed: Sequence[str] = ()


def judge(candidate: Scorecard, champion: Scorecard, suite: Suite, rules: GateRules) -> Verdict:
    """Return whether the candidate may become champion, with reasons.

    Promote needs a sound comparison, enough scored tries, no lost guard, no slice that may have
    lost more than its margin, and a gain over all tasks that chance does not explain. A shown
    loss holds the candidate; anything not shown is insufficient evidence.
    Raises EmptySuiteError where the suite holds no task.
    """
    flaws = find_flaws(candidate, champion, suite)
    if flaws:
        return _unsound(candidate, champion, suite, flaws)
    pairing = pair_tries(candidate, champion, suite)
    if not pairing.tries:
        whys = wording.excluded(each.why for each in pairing.excluded)
        return _unsound(candidate, champion, suite, [f"no try has a score on both sides: {whys}"])
    evidence = _weigh(pairing, suite, rules)
    return _verdict(candidate, champion, evidence, _decide(evidence, rules), rules)


def _unsound(
    candidate: Scorecard, champion: Scorecard, suite: Suite, flaws: Sequence[str]
) -> Verdict:
    return Verdict(
        outcome="insufficient evidence",
        reasons=tuple(f"the comparison is not sound: {flaw}" for flaw in flaws),
        champion=champion.model,
        candidate=candidate.model,
        suite_id=suite.id,
        p_value=None,
        overall=None,
        slices=(),
        fixed=(),
        broken=(),
        needed="an evaluation of both models on the whole suite with the same seeds",
    )


def _weigh(pairing: Pairing, suite: Suite, rules: GateRules) -> _Evidence:
    overall, p = compare_overall(pairing.tries, rules)
    names = sorted({task.slice for task in suite.tasks})
    slices = compare_slices(pairing.tries, names, rules)
    return _Evidence(pairing, overall, slices, p, suite.guards)


def _decide(evidence: _Evidence, rules: GateRules) -> _Decision:
    thin = _too_thin(evidence, rules)
    if thin is not None:
        return thin
    failed = [
        *_lost_guards(evidence),
        *evidence.reasons("fail"),
        *_too_long(evidence, rules),
    ]
    if failed:
        return _Decision("hold", failed)
    unscored = _unscored_guards(evidence)
    undecided = [*unscored, *evidence.reasons("insufficient")]
    if undecided:
        needed = [part.needed for part in evidence.parts if part.needed]
        return _Decision("insufficient evidence", undecided, [*unscored, *needed])
    return _Decision("promote", [evidence.overall.result.reason])


def _too_thin(evidence: _Evidence, rules: GateRules) -> _Decision | None:
    share, tasks = evidence.pairing.scored_share, evidence.overall.result.tasks
    if share < rules.min_scored_share:
        whys = [each.why for each in evidence.pairing.excluded]
        reason = wording.too_little_scored(share, whys, rules)
        return _Decision("insufficient evidence", [reason], ["another evaluation"])
    if tasks < rules.min_tasks:
        reason = f"only {wording.tasks(tasks)} scored, {rules.min_tasks} are wanted"
        return _Decision("insufficient evidence", [reason], [f"{rules.min_tasks} tasks or more"])
    return None


def _lost_guards(evidence: _Evidence) -> Iterator[str]:
    lost = {
        each.task_id
        for each in evidence.pairing.tries
        if each.champion_passed and not each.candidate_passed
    }
    if lost & evidence.guards:
        yield wording.guards_lost(sorted(lost & evidence.guards))


def _too_long(evidence: _Evidence, rules: GateRules) -> Iterator[str]:
    ratio = evidence.pairing.length_ratio
    if ratio is not None and ratio > rules.max_length_ratio:
        yield wording.too_long(ratio, rules)


def _unscored_guards(evidence: _Evidence) -> Iterator[str]:
    unscored = {each.task_id for each in evidence.pairing.excluded}
    if unscored & evidence.guards:
        yield wording.guards_unscored(sorted(unscored & evidence.guards))


def _verdict(
    candidate: Scorecard,
    champion: Scorecard,
    evidence: _Evidence,
    decision: _Decision,
    rules: GateRules,
) -> Verdict:
    fixed, broken = _changed_tasks(evidence.pairing)
    return Verdict(
        outcome=decision.outcome,
        reasons=_all_reasons(evidence, decision, rules),
        champion=champion.model,
        candidate=candidate.model,
        suite_id=candidate.suite_id,
        p_value=evidence.p_value,
        overall=evidence.overall.result,
        slices=tuple(part.result for part in evidence.slices),
        fixed=fixed,
        broken=broken,
        needed="; ".join(decision.needed),
        alpha=rules.alpha,
        excluded=len(evidence.pairing.excluded),
    )


def _all_reasons(evidence: _Evidence, decision: _Decision, rules: GateRules) -> tuple[str, ...]:
    """Return the deciding reasons, then what else changed, then what was left out."""
    changed = [
        part.result.reason for part in evidence.parts if part.result.gained or part.result.lost
    ]
    left_out = [each.why for each in evidence.pairing.excluded]
    note = [f"left out of both sides: {wording.excluded(left_out)}"] if left_out else []
    unknown = rules.slice_margins.keys() - {part.result.name for part in evidence.slices}
    note += [wording.unknown_margin(name) for name in sorted(unknown)]
    return tuple(dict.fromkeys([*decision.deciding, *changed, *note]))


def _changed_tasks(pairing: Pairing) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the tasks that the candidate passes more often, and those the champion does."""
    balance: dict[str, int] = defaultdict(int)
    for each in pairing.tries:
        balance[each.task_id] += each.candidate_passed - each.champion_passed
    fixed = tuple(sorted(task_id for task_id, net in balance.items() if net > 0))
    broken = tuple(sorted(task_id for task_id, net in balance.items() if net < 0))
    return fixed, broken
