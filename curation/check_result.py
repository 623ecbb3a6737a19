"""CheckResult: one check's verdict on one rollout."""

from tracemill.record import Record


class CheckResult(Record):
    """One check's verdict on one rollout."""

    check: str
    """The check's kind, with the tool where there is one."""
    passed: bool
    detail: str = ""
    """What was wanted and what was found, where it failed."""
