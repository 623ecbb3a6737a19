"""RegistryOptions: where the registry is, and who may make a candidate champion."""

from typing import Literal

from tracemill.record import Record

Approval = Literal["auto", "human"]


class RegistryOptions(Record):
    """How candidates are registered and promoted."""

    tracking_uri: str | None = None
    """MLflow's address (`http://…`, `sqlite:///…`); None: a SQLite file in the project folder."""
    approval: Approval = "auto"
    """Who promotes: "auto" the gate alone; "human" also wants the version's tag `review.decision`
    to be `approved`."""
