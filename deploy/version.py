"""ModelVersion: a registered candidate and its standing."""

from datetime import datetime
from pathlib import Path

from tracemill.ingest.trace import ModelRef
from tracemill.record import Record


class AliasMove(Record):
    """One move of the champion alias: who, when and why."""

    alias: str
    from_version: str | None
    to_version: str
    at: datetime
    by: str
    reason: str


class ModelVersion(Record):
    """One version in the registry."""

    name: str
    version: str
    run_id: str
    path: Path
    """The local folder of its artifacts."""
    round_id: str | None
    dataset_id: str | None
    parent_version: str | None
    """The champion that it was trained from."""
    verdict: str | None
    aliases: tuple[str, ...] = ()
    """Of champion, candidate and previous, those that point here."""

    @property
    def ref(self) -> ModelRef:
        """The name and version that its traces and scorecards carry."""
        return ModelRef(name=self.name, version=self.version)
