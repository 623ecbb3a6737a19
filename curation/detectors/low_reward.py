"""Low reward: the trace's own record says that the episode failed."""

from collections.abc import Iterator

from tracemill.curation.detectors.reading import LOW_REWARD, Claim, Reading


def find_low_rewards(reading: Reading) -> Iterator[Claim]:
    """Yield a claim where the reward is below a half; an answer cut at its limit is no failure."""
    reward = reading.trace.outcome.reward
    if reward is not None and reward < LOW_REWARD and not reading.cut_steps:
        yield Claim(None, "the episode failed by its own reward", f"reward {reward:g} of 1")
