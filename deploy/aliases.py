"""Aliases: champion, previous and candidate of one registered model, and the one way to move them.

A move is written to the history before the alias is set. If somebody moved the alias by other
means, or died in between, the next move notes what it found.
"""

from datetime import datetime

from mlflow import MlflowClient
from mlflow.entities.model_registry import RegisteredModel
from mlflow.exceptions import MlflowException

from tracemill.deploy.history import next_entry, read_history
from tracemill.deploy.version import AliasMove

CHAMPION, PREVIOUS, CANDIDATE = "champion", "previous", "candidate"
_LONGEST = 1500
"""Characters of name and reason that are kept; MLflow refuses a tag over 5,000."""


class Aliases:
    """The aliases of the model `name`."""

    def __init__(self, client: MlflowClient, name: str) -> None:
        self._client = client
        self._name = name

    def target(self, alias: str) -> str | None:
        """Return the version that the alias points to, or None."""
        return self.targets().get(alias)

    def targets(self) -> dict[str, str]:
        """Return the version that each alias points to."""
        model = self._model()
        if model is None:
            return {}
        return {alias: str(version) for alias, version in model.aliases.items()}

    def history(self) -> tuple[AliasMove, ...]:
        """Return every move of the champion alias, in order."""
        model = self._model()
        return () if model is None else read_history(model.tags)

    def _model(self) -> RegisteredModel | None:
        try:
            return self._client.get_registered_model(self._name)
        except MlflowException as error:
            if error.error_code == "RESOURCE_DOES_NOT_EXIST":
                return None
            raise

    def set_candidate(self, version: str) -> None:
        """Point the candidate alias to the version under review."""
        self._client.set_registered_model_alias(self._name, CANDIDATE, version)

    def make_champion(self, version: str, *, by: str, reason: str, now: datetime) -> AliasMove:
        """Point champion to the version and previous to the one before; return the move."""
        before = self.target(CHAMPION)
        self._note_foreign_move(before, now)
        move = self._record(before, version, by=by, reason=reason, now=now)
        self._client.set_registered_model_alias(self._name, CHAMPION, version)
        if before is not None:
            self._client.set_registered_model_alias(self._name, PREVIOUS, before)
        if self.target(CANDIDATE) == version:
            self._client.delete_registered_model_alias(self._name, CANDIDATE)
        return move

    def restore(self, version: str, *, by: str, reason: str, now: datetime) -> AliasMove:
        """Point champion back to an earlier one, and previous to the champion before that."""
        before = self.target(CHAMPION)
        self._note_foreign_move(before, now)
        earlier = self._champion_before(version)
        move = self._record(before, version, by=by, reason=reason, now=now)
        self._client.set_registered_model_alias(self._name, CHAMPION, version)
        if earlier is None:
            self._client.delete_registered_model_alias(self._name, PREVIOUS)
        else:
            self._client.set_registered_model_alias(self._name, PREVIOUS, earlier)
        return move

    def _champion_before(self, version: str) -> str | None:
        """Return what the version replaced when it became champion for the first time."""
        moves = (move for move in self.history() if move.to_version == version)
        return next((move.from_version for move in moves), None)

    def _note_foreign_move(self, found: str | None, now: datetime) -> None:
        moves = self.history()
        known = moves[-1].to_version if moves else None
        if found is not None and found != known:
            reason = "found so: moved by other means, or a move was interrupted"
            self._record(known, found, by="unknown", reason=reason, now=now)

    def _record(
        self, before: str | None, version: str, *, by: str, reason: str, now: datetime
    ) -> AliasMove:
        move = AliasMove(
            alias=CHAMPION,
            from_version=before,
            to_version=version,
            at=now,
            by=by[:_LONGEST],
            reason=reason[:_LONGEST],
        )
        tags = self._client.get_registered_model(self._name).tags
        key, value = next_entry(tags, move)
        self._client.set_registered_model_tag(self._name, key, value)
        return move
