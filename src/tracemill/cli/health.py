"""`tracemill doctor`: whether everything that a night needs can be reached."""

from collections.abc import Callable
from typing import NamedTuple

import typer
from rich.console import Console
from rich.table import Table

from tracemill.cli.options import SettingsFile
from tracemill.errors import TracemillError
from tracemill.settings import Settings, load_settings


class Ailment(NamedTuple):
    """One thing that was looked at, and what is wrong with it, if anything is."""

    part: str
    found: str
    is_well: bool


def doctor(settings_file: SettingsFile = None) -> None:
    """Look at every part that a night needs, and say what is wrong."""
    found = examine(load_settings(settings_file))
    table = Table("part", "", "found", title="tracemill doctor", show_lines=False)
    for part, said, is_well in found:
        table.add_row(part, "[green]ok[/]" if is_well else "[bold red]bad[/]", said)
    Console().print(table)
    ill = [ailment.part for ailment in found if not ailment.is_well]
    if ill:
        raise typer.Exit(1)


def examine(settings: Settings) -> tuple[Ailment, ...]:
    """Return one line for each part: Kafka, the store, the environment, the model, the registry."""
    return (
        _look("Kafka", lambda: _kafka(settings)),
        _look("store", lambda: _store(settings)),
        _look("environment", lambda: _environment(settings)),
        _look("registry", lambda: _registry(settings)),
        _look("champion", lambda: _champion(settings)),
    )


def _look(part: str, examine_part: Callable[[], str]) -> Ailment:
    try:
        return Ailment(part, examine_part(), True)
    except TracemillError as error:
        return Ailment(part, str(error), False)


def _kafka(settings: Settings) -> str:
    from tracemill.ingest.topic import KafkaSource

    kafka = settings.kafka
    source = KafkaSource(kafka.bootstrap_servers, kafka.topics, client_options=kafka.client_options)
    held = source.count()
    said = ", ".join(f"{records:,} in {topic}" for topic, records in held.items())
    return f"{kafka.bootstrap_servers}: {said}"


def _store(settings: Settings) -> str:
    from tracemill.flows.project_store import open_store

    with open_store(settings) as store:
        return f"{settings.store_path}: last change {store.last_change()}"


def _environment(settings: Settings) -> str:
    from tracemill.curation.environment import close_environment, load_environment

    if settings.curation.environment is None:
        return "none set: tasks are scored by their checks on the calls alone"
    environment = load_environment(settings.curation.environment)
    try:
        names = ", ".join(tool.name for tool in environment.tools)
    finally:
        close_environment(environment)
    return f"{settings.curation.environment}: {names}"


def _registry(settings: Settings) -> str:
    from tracemill.deploy.registry import Registry

    registry = Registry(settings.tracking_uri, settings.artifacts_folder, settings.project.name)
    return (
        f"{settings.tracking_uri}: {len(registry.versions())} versions of {settings.project.name}"
    )


def _champion(settings: Settings) -> str:
    from tracemill.deploy.registry import Registry

    registry = Registry(settings.tracking_uri, settings.artifacts_folder, settings.project.name)
    champion = registry.champion()
    if champion is not None:
        return f"version {champion.version}"
    base = settings.training.base_model
    if base is None:
        raise TracemillError("none registered, and no base_model in section [training]")
    if not (base / "config.json").is_file():
        raise TracemillError(f"none registered, and {base} holds no model in Hugging Face form")
    return f"none registered yet: the first round starts from {base}"
