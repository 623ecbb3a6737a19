"""Budget: what one round may cost, and how fast training is taken to be."""

from tracemill.record import Record


class Budget(Record):
    """The limits of one round. It stops, saved and sound, before it passes them."""

    seconds: float = 1800.0
    cost_usd: float | None = None
    usd_per_hour: float = 0.10
    """Price of the machine."""
    tokens_per_second: float | None = None
    """Tokens that a training step computes a second here; None: estimated from the champion's size."""

    @property
    def limit_seconds(self) -> float:
        """The tighter of both limits."""
        if self.cost_usd is None or self.usd_per_hour <= 0:
            return self.seconds
        return min(self.seconds, self.cost_usd / self.usd_per_hour * 3600)
