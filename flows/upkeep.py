"""Upkeep: the flows between the nights, `ingest` and `watch`."""

from pathlib import Path
from typing import cast

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.states import Completed

from tracemill.deploy.watch import Watch
from tracemill.errors import RegistryError
from tracemill.flows import artifacts, console, rounds
from tracemill.flows.reading import read_and_show
from tracemill.flows.retrying import named_task
from tracemill.ingest.run import IngestReport
from tracemill.settings import Settings, load_settings


@flow(name="ingest", log_prints=True)
def ingest(settings_file: str = "tracemill.toml") -> IngestReport:
    """Read the topics until caught up with their ends."""
    settings = load_settings(Path(settings_file))
    return named_task("ingest")(read_and_show)(settings)


@flow(name="watch", log_prints=True)
def watch(settings_file: str = "tracemill.toml") -> Watch:
    """Mine what is new and look at the champion; the final state says whether it should go.

    It only recommends: people (or an automation on the state `RollbackRecommended`) act.
    Raises RegistryError where there is no champion to watch.
    """
    settings = load_settings(Path(settings_file))
    named_task("mine")(console.mine)(settings)
    watched = named_task("watch")(_watch)(settings)
    artifacts.show_watch(watched, rounds.live_failures(settings))
    name = "RollbackRecommended" if watched.recommends_demotion else "AllWell"
    state: State[Watch] = Completed(name=name, message=watched.reason, data=watched)
    # A flow that returns a state ends in it, and gives its caller the data in it.
    return cast("Watch", state)


def _watch(settings: Settings) -> Watch:
    watched = rounds.watch_champion(settings)
    if watched is None:
        raise RegistryError(
            f"{settings.project.name!r} has no champion to watch: run a first round"
        )
    return watched
