"""Times as the wire writes them, made aware UTC datetimes."""

from datetime import UTC, datetime

from tracemill.errors import InvalidRecordError

FIRST_SANE = datetime(2000, 1, 1, tzinfo=UTC)
"""Before it a time is a placeholder."""
FIRST_SANE_NS = int(FIRST_SANE.timestamp()) * 10**9


def from_nanoseconds(nanoseconds: int) -> datetime | None:
    """Return the time so long after 1970; None for 0 (and less), which is "not known"."""
    if nanoseconds <= 0:
        return None
    return datetime.fromtimestamp(nanoseconds // 1000 / 1_000_000, UTC)


def read_time(value: object) -> datetime | None:
    """Return the time of an ISO 8601 text, or of seconds, ms, µs or ns since 1970; None of None.

    Raises InvalidRecordError if it is none of them.
    """
    if value is None or value == "":
        return None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _from_number(float(value))
    try:
        if isinstance(value, str):
            return _from_text(value)
    except ValueError as error:
        raise InvalidRecordError(f"{value!r} is no time: {error}") from error
    raise InvalidRecordError(f"{value!r} is no time")


def _from_number(number: float) -> datetime | None:
    for unit in (1, 1e3, 1e6, 1e9):
        if 0 < number / unit < 1e10:
            return datetime.fromtimestamp(number / unit, UTC)
    return None


def _from_text(text: str) -> datetime | None:
    if text.replace(".", "", 1).isdigit():
        return _from_number(float(text))
    time = datetime.fromisoformat(text.strip().replace(" UTC", "+00:00"))
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)


def to_nanoseconds(value: object) -> int:
    """Return the time, in any form that `read_time` takes, as nanoseconds since 1970; 0 of none."""
    time = read_time(value)
    return 0 if time is None else round(time.timestamp() * 1_000_000) * 1000
