"""`tracemill explain` and `tracemill forget`: where a row came from, and a user out of everything."""

from typing import Annotated

import typer
from rich.console import Console

from tracemill.cli.options import SettingsFile
from tracemill.errors import TracemillError
from tracemill.settings import load_settings


def explain(
    row: Annotated[str, typer.Argument(help="Id of a task, example or pair.")],
    settings_file: SettingsFile = None,
) -> None:
    """Say where a row of a dataset came from, back to topic, partition and offset."""
    from tracemill.flows.lineage import explain_row

    found = explain_row(load_settings(settings_file), row)
    console = Console(highlight=False)
    console.print(f"{found.kind} {found.row_id} of {', '.join(found.datasets)}", markup=False)
    console.print(f"  its right side: {found.origin}; slice {found.slice}; of {found.group}")
    if found.failure_mode:
        console.print(f"  failure mode {found.failure_mode}")
    for source in found.sources:
        console.print(
            f"  trace {source.trace_id} revision {source.revision} of {source.model}", markup=False
        )
        for place in source.records:
            console.print(
                f"    {place.topic} partition {place.partition}, "
                f"offsets {place.first_offset} to {place.last_offset}",
                markup=False,
            )
        if source.sub_agents:
            console.print(f"    beside it: {', '.join(source.sub_agents)}", markup=False)
        for claim in source.findings:
            console.print(f"    found: {claim}", markup=False)


def forget(
    user: Annotated[str, typer.Argument(help="Your own id of the user, or the pseudonym.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    undo: Annotated[
        bool, typer.Option("--undo", help="Take new records of a forgotten user again.")
    ] = False,
    settings_file: SettingsFile = None,
) -> None:
    """Take a user out of the store and all datasets for good, and prove it by a search."""
    from tracemill.flows.clock import now
    from tracemill.flows.lineage import forget_user, undo_forgetting
    from tracemill.flows.rounds import open_registry

    settings, console = load_settings(settings_file), Console(highlight=False)
    if undo:
        again = undo_forgetting(settings, user)
        console.print(f"{again}: records that come from now on are kept. What was is gone.")
        return
    if not yes:
        typer.confirm(f"Remove all that is known of {user!r}? It cannot be undone.", abort=True)
    forgotten, versions = forget_user(settings, user, now=now(), open_registry=open_registry)
    console.print(
        f"{forgotten.user_id}: traces removed: {len(forgotten.traces)}, dead letters removed: "
        f"{forgotten.dead_letters}. Ingest refuses what comes of this user again."
    )
    if forgotten.sent_letters:
        console.print(
            f"  {len(forgotten.sent_letters)} of these dead letters had been sent to the topic "
            f"{settings.ingest.dead_letter_topic or 'of dead letters'}, which holds them until its "
            f"retention ends. By tracemill.dead-letter.id: {', '.join(forgotten.sent_letters)}",
            markup=False,
            soft_wrap=True,
        )
    for dataset in forgotten.datasets:
        console.print(f"  {dataset.id} without {dataset.rows} rows is {dataset.replaced_by}")
    if versions:
        console.print(f"  trained on some of it, and marked so: versions {', '.join(versions)}")
    if forgotten.remaining:
        places = "; ".join(forgotten.remaining)
        raise TracemillError(f"a search still finds {forgotten.user_id} in: {places}")
    console.print("A search of the store and the datasets finds nothing of this user any more.")
