"""Clock: how much of a round's time is left."""

import math
import time

# Merging, saving and verifying SmolLM2-135M takes 5 s on a busy core; they grow with the model, as
# the limit does.
_CLOSING_SHARE = 0.05
_CLOSING_SECONDS = 5.0


class Clock:
    """Counts from its making; keeps some time back for merging, saving and verifying."""

    def __init__(self, limit_seconds: float | None) -> None:
        self._started = time.monotonic()
        self._room = math.inf
        if limit_seconds is not None:
            self._room = (1 - _CLOSING_SHARE) * limit_seconds - _CLOSING_SECONDS

    def has_room(self, seconds: float) -> bool:
        """Return whether work of this length still fits."""
        return time.monotonic() - self._started + seconds <= self._room
