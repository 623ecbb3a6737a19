"""Usage: what model calls took, in tokens and money."""

from collections.abc import Iterable
from typing import TypeVar

from tracemill.record import Record

N = TypeVar("N", int, float)


class Usage(Record):
    """What some model calls took together; None where none of them says."""

    calls: int = 0
    """How many they are."""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None

    @property
    def tokens(self) -> int | None:
        """Prompt and completion tokens together; None where neither is known."""
        return _sum((self.prompt_tokens, self.completion_tokens))


def total(usages: Iterable[Usage]) -> Usage:
    """Return the usages as one."""
    given = list(usages)
    return Usage(
        calls=sum(usage.calls for usage in given),
        prompt_tokens=_sum(usage.prompt_tokens for usage in given),
        completion_tokens=_sum(usage.completion_tokens for usage in given),
        cost_usd=_sum(usage.cost_usd for usage in given),
    )


def _sum(values: Iterable[N | None]) -> N | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
