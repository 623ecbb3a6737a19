"""Registry: MLflow's registered model, one version for each candidate, and its champion.

Every candidate is registered, with its verdict and evidence on its page. Only `promote` and
`rollback` move the champion alias, both after the version's files were read back and verified, and
one process of a machine at a time.
"""

import json
from collections.abc import Iterable
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from mlflow import MlflowClient
from mlflow.entities.model_registry import ModelVersion as MlflowVersion

from tracemill.deploy.aliases import CHAMPION, PREVIOUS, Aliases
from tracemill.deploy.artifacts import ArtifactFolders
from tracemill.deploy.connection import connect, in_words
from tracemill.deploy.enter import COMPLETE, Book, enter_base, enter_candidate
from tracemill.deploy.model_page import make_line, render_model_page
from tracemill.deploy.moving import alone
from tracemill.deploy.publish import REPORT, SUITE_TASKS
from tracemill.deploy.registration import Registration
from tracemill.deploy.registry_options import Approval
from tracemill.deploy.version import AliasMove, ModelVersion
from tracemill.errors import RegistryError
from tracemill.evaluation.scorecard import Scorecard
from tracemill.evaluation.spending import PastUse
from tracemill.evaluation.suite import Suite

__all__ = ["Evidence", "Registration", "Registry"]

_ROLLED_BACK = "rolled_back.because"


class Evidence(NamedTuple):
    """What a version was judged on."""

    candidate: Scorecard
    champion: Scorecard
    suite: Suite


class Registry:
    """The registered model `model_name` at an MLflow server or database.

    `artifact_root` is where artifacts lie when no server holds them.
    """

    def __init__(
        self,
        tracking_uri: str,
        artifact_root: Path,
        model_name: str,
        *,
        approval: Approval = "auto",
    ) -> None:
        self.tracking_uri = tracking_uri
        self.model_name = model_name
        self.approval: Approval = approval
        self._root = artifact_root

    @cached_property
    def _client(self) -> MlflowClient:
        return connect(self.tracking_uri)

    @property
    def _aliases(self) -> Aliases:
        return Aliases(self._client, self.model_name)

    @property
    def _folders(self) -> ArtifactFolders:
        return ArtifactFolders(self._client, self._root)

    @property
    def _book(self) -> Book:
        return Book(self._client, self.model_name, self._root)

    @in_words
    def champion(self) -> ModelVersion | None:
        """Return the version that production serves, its files on this machine; None at first."""
        version = self._aliases.target(CHAMPION)
        if version is None:
            return None
        found = self._client.get_model_version(self.model_name, version)
        self._folders.fetch(found)
        return self._to_version(found, self._aliases.targets())

    @in_words
    def versions(self) -> tuple[ModelVersion, ...]:
        """Return all versions, the latest first."""
        targets = self._aliases.targets()
        return tuple(self._to_version(each, targets) for each in self._search())

    @in_words
    def version(self, version: str) -> ModelVersion:
        """Return one version; RegistryError where there is none."""
        return self._to_version(self._get(version), self._aliases.targets())

    @in_words
    def version_of_round(self, round_id: str) -> ModelVersion | None:
        """Return the version that this round's candidate was registered as, or None."""
        targets = self._aliases.targets()
        found = (each for each in self._search() if each.tags.get("round_id") == round_id)
        return next((self._to_version(each, targets) for each in found), None)

    @in_words
    def history(self) -> tuple[AliasMove, ...]:
        """Return every move of the champion alias, in order; empty before the first.

        Raises RegistryError where the record of them was altered.
        """
        return self._aliases.history()

    @in_words
    def evidence(self, version: str) -> Evidence:
        """Return the scorecards and the suite that the version was judged on."""
        run_id = self._get(version).run_id
        read = self._folders.read_report
        return Evidence(
            Scorecard.from_json(read(run_id, f"{REPORT}/candidate_scorecard.json")),
            Scorecard.from_json(read(run_id, f"{REPORT}/champion_scorecard.json")),
            Suite.from_json(read(run_id, f"{REPORT}/suite.json")),
        )

    @in_words
    def register_base(self, path: Path, *, note: str = "", now: datetime) -> ModelVersion:
        """Return the first version, made of a local folder, as champion.

        Raises RegistryError where there is a champion already, or the folder is not sound.
        """
        with alone(self._root, self.model_name):
            champion = self._aliases.target(CHAMPION)
            if champion is not None:
                raise RegistryError(
                    f"{self.model_name!r} has a champion, version {champion}: a base model is only "
                    "registered where there is none"
                )
            number = enter_base(self._book, path, note or f"The model in {path}.", now=now)
            return self._move(number, by="tracemill", reason="the first version", now=now)[0]

    @in_words
    def register(self, registration: Registration, *, now: datetime) -> ModelVersion:
        """Return the candidate's new version, whose page a reviewer reads; alias `candidate`.

        The same candidate registered again is the version that it was. Raises RegistryError
        where verdict, scorecards, dataset or weights are not the candidate's.
        """
        registration.refuse_mismatch()
        candidate = registration.candidate
        key = (candidate.round.id, candidate.weights_sha256)
        for each in self._search():
            if (each.tags.get("round_id"), each.tags.get("weights.sha256")) == key:
                return self.version(str(each.version))
        number = enter_candidate(self._book, registration, approval=self.approval, now=now)
        self._aliases.set_candidate(number)
        self._write_model_page()
        return self.version(number)

    @in_words
    def promote(
        self, version: str, *, by: str, reason: str, now: datetime, force: bool = False
    ) -> AliasMove:
        """Make the version champion, after its files were read back and verified.

        Returns the move as it stands in the history; a version that is champion already stays it.
        Raises RegistryError: no such version, files missing or changed, nobody named, and unless
        `force`: not passed by the gate, judged against another champion, rolled back from before,
        not approved; and if another process does not end its own move.
        """
        found = self._get(version)
        _want_name_and_reason(by, reason)
        with alone(self._root, self.model_name):
            if self._aliases.target(CHAMPION) == version and self.history():
                return self.history()[-1]
            objection = self._objection(found)
            if objection and not force:
                raise RegistryError(objection)
            note = f"{reason} (forced, although {objection})" if objection else reason
            return self._move(version, by=by, reason=note, now=now)[1]

    @in_words
    def rollback(self, *, by: str, reason: str, now: datetime) -> AliasMove:
        """Make the previous champion champion again, its files verified; return the move.

        Raises RegistryError where there is no previous champion, or its files changed.
        """
        _want_name_and_reason(by, reason)
        with alone(self._root, self.model_name):
            previous = self._aliases.target(PREVIOUS)
            if previous is None:
                raise RegistryError(f"{self.model_name!r} has no previous champion to go back to")
            self._folders.verify(self._get(previous))
            move = self._aliases.restore(previous, by=by, reason=reason, now=now)
            if move.from_version is not None:
                self._client.set_model_version_tag(
                    self.model_name, move.from_version, _ROLLED_BACK, move.reason
                )
            self._write_model_page()
            return move

    def _move(
        self, version: str, *, by: str, reason: str, now: datetime
    ) -> tuple[ModelVersion, AliasMove]:
        self._folders.verify(self._get(version))
        move = self._aliases.make_champion(version, by=by, reason=reason, now=now)
        self._write_model_page()
        return self.version(version), move

    def _write_model_page(self) -> None:
        """Compare all versions in the description of the registered model."""
        targets = self._aliases.targets()
        lines = [make_line(each.tags, self._to_version(each, targets)) for each in self._search()]
        page = render_model_page(lines, self._aliases.history(), self.model_name)
        self._client.update_registered_model(self.model_name, description=page)

    def _objection(self, found: MlflowVersion) -> str:
        """Return why the version has not earned to be champion; empty where it has."""
        number, tags = str(found.version), found.tags
        if tags.get("gate.status") != "promote":
            return (
                f"version {number} was not passed by the gate ({tags.get('gate.status')}): "
                "read its page; --force promotes it in your name"
            )
        if _ROLLED_BACK in tags:
            return f"version {number} was rolled back from: {tags[_ROLLED_BACK]}"
        champion = self._aliases.target(CHAMPION)
        if champion is not None and tags.get("gate.champion") != champion:
            return (
                f"version {number} was judged against version {tags.get('gate.champion')}, but "
                f"version {champion} is champion by now: run a round against it"
            )
        if self.approval == "human" and tags.get("review.decision", "").lower() != "approved":
            return f"version {number} waits for a person: set its tag review.decision to approved"
        return ""

    @in_words
    def mark_forgotten(self, dataset_ids: Iterable[str], *, now: datetime) -> tuple[str, ...]:
        """Mark the versions that these datasets trained: rows of a forgotten user reached them.

        Returns their numbers. Weights cannot unlearn; whether such a version may go on is for
        people to decide, and its tag `data.forgotten_at` tells them.
        """
        reached = set(dataset_ids)
        marked = [each for each in self._search() if each.tags.get("dataset_id") in reached]
        for each in marked:
            self._client.set_model_version_tag(
                self.model_name, str(each.version), "data.forgotten_at", now.isoformat()
            )
        return tuple(str(each.version) for each in marked)

    @in_words
    def past_uses(self) -> tuple[PastUse, ...]:
        """Return the comparisons that versions were judged by, for `spending.count_use`."""
        judged = [each for each in self._search() if "gate.delta_pp" in each.tags]
        return tuple(
            PastUse(
                frozenset(json.loads(self._folders.read_report(str(each.run_id), SUITE_TASKS))),
                each.tags["gate.status"] == "promote",
            )
            for each in judged
        )

    def _search(self) -> list[MlflowVersion]:
        """Return the versions whose registration was finished, the latest first."""
        found = self._client.search_model_versions(f"name = '{self.model_name}'")
        complete = [each for each in found if COMPLETE in each.tags]
        return sorted(complete, key=lambda each: int(each.version), reverse=True)

    def _get(self, version: str) -> MlflowVersion:
        known = [each for each in self._search() if str(each.version) == version]
        if not known:
            raise RegistryError(
                f"{self.model_name!r} has no version {version!r}: `tracemill report` lists them"
            )
        return known[0]

    def _to_version(self, found: MlflowVersion, targets: dict[str, str]) -> ModelVersion:
        number = str(found.version)
        return ModelVersion(
            name=found.name,
            version=number,
            run_id=str(found.run_id),
            path=self._folders.locate(found),
            round_id=found.tags.get("round_id"),
            dataset_id=found.tags.get("dataset_id"),
            parent_version=found.tags.get("parent_version"),
            verdict=found.tags.get("gate.status"),
            aliases=tuple(sorted(alias for alias, to in targets.items() if to == number)),
        )


def _want_name_and_reason(by: str, reason: str) -> None:
    if not by.strip() or not reason.strip():
        raise RegistryError("a move of the champion needs who makes it and why: by and reason")
