"""Facts: the figures of a registration as labelled text, the same for page and report."""

from collections.abc import Iterable
from typing import NamedTuple

from tracemill.deploy.lineage import Lineage
from tracemill.deploy.registration import Registration
from tracemill.evaluation import wording
from tracemill.evaluation.verdict import SliceResult, Verdict

SLICE_COLUMNS = (
    "slice", "tasks", "champion", "candidate", "points (interval)", "fixed", "broken", "result"
)  # fmt: skip
SLICE_LEGEND = (
    "Points are candidate minus champion. A slice passes where the interval shows that it loses "
    "less than its margin; the whole passes where a gain is shown."
)
_ROWS = {"example": "example", "replay": "replayed example", "pair": "pair"}


class Fact(NamedTuple):
    """One figure."""

    label: str
    text: str


def headline(verdict: Verdict, version: str) -> str:
    """Return the verdict in one line, as text."""
    champion = f"version {verdict.champion.version or verdict.champion.name}"
    if verdict.promotes and verdict.overall is not None:
        before, after = verdict.overall.champion_rate, verdict.overall.candidate_rate
        return f"Promote: version {version} passes {after:.0%} of held-out tasks, {champion} {before:.0%}"
    if verdict.outcome == "hold":
        return f"Hold: version {version} must not replace {champion}"
    return f"Insufficient evidence: version {version} cannot be told from {champion} yet"


def slice_rows(verdict: Verdict) -> Iterable[tuple[str, ...]]:
    """Yield the cells of each part of the suite under SLICE_COLUMNS, the whole first."""
    if verdict.overall is None:
        return
    for part in (verdict.overall, *verdict.slices):
        if part.tries == 0:
            yield (part.name, "0", "no score", "no score", "unknown", "-", "-", part.outcome)
            continue
        yield (
            part.name,
            str(part.tasks),
            _rate(part.champion_rate, part.tries),
            _rate(part.candidate_rate, part.tries),
            f"{wording.signed(part.difference.estimate)} "
            f"({wording.signed(part.difference.low)} to {wording.signed(part.difference.high)})",
            str(part.gained),
            str(part.lost),
            _result(part),
        )


def _rate(rate: float, tries: int) -> str:
    return f"{round(rate * tries)} of {tries} ({rate:.0%})"


def _result(part: SliceResult) -> str:
    if part.margin is None:
        return part.outcome
    return f"{part.outcome} (margin {wording.points(part.margin)})"


def cost_facts(registration: Registration) -> Iterable[Fact]:
    """Yield what the round spent and what it got for it."""
    candidate = registration.candidate
    for stage in candidate.used:
        yield Fact(
            f"{stage.method.upper()} stage",
            f"{stage.rows_trained} of {stage.rows_given} rows, {stage.steps} steps, "
            f"{stage.tokens:,} tokens, {stage.seconds:.0f} s, "
            f"loss {stage.first_loss:.3f} → {stage.last_loss:.3f}",
        )
    yield Fact("training", f"{candidate.seconds:.0f} s, {dollars(candidate.cost_usd)}")
    gained, value = registration.points_gained, registration.points_per_dollar
    if gained is not None and value is not None:
        yield Fact(
            "intelligence per dollar",
            f"{value:,.0f} points of held-out pass rate per dollar of training "
            f"({gained:+.1f} points for {dollars(candidate.cost_usd)})",
        )
    cards = registration.champion_card, registration.candidate_card
    spent = sum(each.completion_tokens for card in cards for each in card.rollouts)
    seconds = sum(card.seconds for card in cards)
    yield Fact("evaluation", f"{seconds:.0f} s for both models, {spent:,} tokens written")
    yield from (Fact("remark", remark) for remark in candidate.remarks)


def dollars(cost: float) -> str:
    """Return a price with the digits that it needs.

    >>> dollars(0.00031), dollars(12.5)
    ('$0.00031', '$12.50')
    """
    return f"${cost:.2f}" if cost >= 0.1 or cost == 0 else f"${cost:.2g}"


def data_facts(lineage: Lineage, most_modes: int = 6) -> Iterable[Fact]:
    """Yield what was trained on and where it came from."""
    rows = ", ".join(
        f"{wording.counted(row.rows, _ROWS[row.kind])} ({row.origin})" for row in lineage.rows
    )
    yield Fact("dataset", lineage.dataset_id)
    yield Fact("rows", rows or "none")
    yield Fact(
        "from",
        f"{wording.tasks(lineage.tasks)} of {wording.counted(lineage.traces, 'production trace')}",
    )
    for topic in lineage.topics:
        yield Fact(
            "offsets",
            f"{topic.topic}, partition {topic.partition}: "
            f"{topic.first_offset} to {topic.last_offset}",
        )
    for mode in lineage.modes[:most_modes]:
        yield Fact("failure mode trained on", f"{mode.name} ({wording.tasks(mode.tasks)})")
    if len(lineage.modes) > most_modes:
        yield Fact("failure mode trained on", f"{len(lineage.modes) - most_modes} more")
    for reason, count in sorted(lineage.refused.items()):
        yield Fact("left out", f"{count}: {reason}")


def integrity_facts(registration: Registration) -> Iterable[Fact]:
    """Yield what was checked of the weights before anybody evaluated them."""
    candidate = registration.candidate
    report = candidate.integrity
    yield Fact("weights", f"SHA-256 {candidate.weights_sha256}")
    yield Fact("changed", f"{report.weights_changed_share:.0%} of the trained tensors")
    yield Fact(
        "reloaded from disk",
        f"answers as in memory: logits differ by {report.max_logit_difference:.2g} at most",
    )
    same = report.has_same_tokenizer and report.has_same_chat_template
    yield Fact("chat template and tokenizer", "the champion's" if same else "NOT the champion's")


def live_facts(registration: Registration) -> Iterable[Fact]:
    """Yield how often each version has failed in production so far."""
    for rate in registration.live:
        share = "no trace" if rate.share is None else f"{rate.share:.0%} failed"
        outages = f", {rate.infrastructure} more met an outage" if rate.infrastructure else ""
        yield Fact(
            rate.model.label,
            f"{share}: {rate.failed} of {rate.traces} traces "
            f"(95 % interval {rate.low:.0%} to {rate.high:.0%}){outages}",
        )
