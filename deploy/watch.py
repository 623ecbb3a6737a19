"""Watch: does the champion fail more in production than the one before it did?

Looked at after every trace, for as long as it serves: an ordinary test would give a false alarm
sooner or later. The evidence here is an e-value, which stays valid however often it is looked at.
Only a recommendation comes of it; moving the champion is the registry's `rollback`.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from pydantic import Field
from scipy import special, stats

from tracemill.deploy.live import LiveRate
from tracemill.ingest.trace import ModelRef
from tracemill.record import Record

Floats = npt.NDArray[np.float64]


class WatchOptions(Record):
    """When to recommend that the champion goes."""

    alpha: float = Field(default=0.01, gt=0, lt=1)
    """Chance of a false alarm in a champion's whole life, at most."""
    margin: float = Field(default=0.05, ge=0, lt=1)
    """Rise of the failure rate that is tolerated; traffic is never the same twice."""
    min_traces: int = Field(default=20, ge=1)
    """Fewer traces than this of either version: no comparison."""


class Watch(Record):
    """What the champion's traces say, compared with those of the version before."""

    champion: ModelRef
    reference: ModelRef | None
    traces: int
    failed: int
    tolerated: float | None = None
    """Failure rate, 0 to 1, that would still be all right; None: nothing to compare with."""
    evidence: float = 1.0
    """The largest e-value so far; 1 is none, 1/alpha recommends demotion."""
    recommends_demotion: bool = False
    reason: str


def watch(
    champion: ModelRef,
    outcomes: Sequence[bool],
    reference: LiveRate | None,
    options: WatchOptions,
) -> Watch:
    """Return what the champion's outcomes (failed or not, oldest first) say.

    `reference` is the rate of the version before. What is tolerated is the upper end of its 95 %
    interval and the margin, so that few traces of it give it the benefit of the doubt.
    """
    failed, traces = sum(outcomes), len(outcomes)
    watched = Watch(
        champion=champion,
        reference=None if reference is None else reference.model,
        traces=traces,
        failed=failed,
        reason=f"{champion.label} failed {failed} of {traces} traces",
    )
    if reference is None or min(reference.traces, traces) < options.min_traces:
        reason = f"{watched.reason}: too few to compare, of this version or of the one before"
        return watched.model_copy(update={"reason": reason})
    tolerated = min(reference.high + options.margin, 1.0)
    evidence = largest_e_value(outcomes, tolerated)
    demotes = evidence >= 1 / options.alpha
    judged = "more than" if demotes else "not shown to be more than"
    reason = (
        f"{watched.reason} ({failed / traces:.0%}), {judged} the {tolerated:.0%} tolerated after "
        f"{reference.model.label} ({reference.failed} of {reference.traces}); "
        f"evidence {evidence:.3g}, {1 / options.alpha:.0f} recommends a rollback"
    )
    found = {"tolerated": tolerated, "evidence": evidence, "recommends_demotion": demotes}
    return watched.model_copy(update={**found, "reason": reason})


def largest_e_value(outcomes: Sequence[bool], tolerated: float) -> float:
    """Return the largest e-value, over all beginnings, against a failure rate up to `tolerated`.

    Under such a rate it ever reaches 1/alpha with chance alpha at most (Ville 1939; Ramdas et al.
    2023, Statistical Science 38:576-601). At most 1e300.
    """
    if not outcomes or tolerated >= 1:
        return 1.0
    failed = np.cumsum(np.asarray(outcomes, dtype=float))
    passed = np.arange(1, len(outcomes) + 1) - failed
    return float(np.exp(min(max(0.0, log_e_value(failed, passed, tolerated).max()), 690.0)))


def log_e_value(failed: npt.ArrayLike, passed: npt.ArrayLike, tolerated: float) -> Floats:
    """Return the log e-value of these counts, elementwise.

    The likelihood ratio of a rate above `tolerated` against it, averaged over all such rates
    alike: a product of bets, each fair or worse under every rate that is tolerated.
    """
    lost, won = np.asarray(failed, dtype=float), np.asarray(passed, dtype=float)
    above = stats.beta.logsf(tolerated, lost + 1, won + 1) - np.log1p(-tolerated)
    at_limit = special.xlogy(lost, tolerated) + special.xlog1py(won, -tolerated)
    result: Floats = special.betaln(lost + 1, won + 1) + above - at_limit
    return result
