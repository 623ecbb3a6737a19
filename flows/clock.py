"""The clock that flows and commands pass to the stages, which never look at one themselves."""

from datetime import UTC, datetime


def now() -> datetime:
    """Return the present, in UTC."""
    return datetime.now(UTC)
