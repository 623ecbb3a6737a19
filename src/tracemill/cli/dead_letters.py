"""`tracemill dead-letters`: what could not become a trace, and another try at it."""

from functools import partial
from typing import Annotated, cast, get_args

import typer
from rich.console import Console
from rich.table import Table

from tracemill.cli.options import SettingsFile
from tracemill.errors import TracemillError
from tracemill.settings import load_settings


def build_app() -> typer.Typer:
    """Return the `dead-letters` command group."""
    app = typer.Typer(help="List, show or replay records that could not be used.")
    app.command("list")(list_letters)
    app.command("show")(show)
    app.command("replay")(replay)
    return app


def list_letters(
    settings_file: SettingsFile = None,
    reject_class: Annotated[
        str | None, typer.Option("--class", help="Only undecodable, invalid, unsupported …")
    ] = None,
    most: Annotated[int, typer.Option("--most", help="How many to list.")] = 50,
) -> None:
    """List the dead letters, the latest first, with their reasons."""
    from tracemill.flows.project_store import open_store
    from tracemill.ingest.dead_letter_book import count_dead_letters, list_dead_letters
    from tracemill.ingest.decoded import RejectClass

    known = get_args(RejectClass)
    if reject_class is not None and reject_class not in known:
        raise TracemillError(f"no class {reject_class!r}: one of {', '.join(known)}")
    with open_store(load_settings(settings_file)) as store:
        counted = count_dead_letters(store)
        letters = list_dead_letters(
            store, reject_class=cast("RejectClass | None", reject_class), limit=most
        )
    console = Console()
    for kind, reason, count in counted:
        console.print(f"{count:>7,} {kind}: {reason}", markup=False, highlight=False)
    table = Table("id", "class", "topic/partition/offset", "place", "reason", "tries")
    for one in letters:
        place = f"{one.topic}/{one.partition}/{one.offset}"
        table.add_row(
            one.id, one.reject_class, place, one.path or "–", one.reason, str(one.attempts)
        )
    console.print(table)


def show(
    letter: Annotated[str, typer.Argument(help="Its id, or the beginning of it.")],
    settings_file: SettingsFile = None,
) -> None:
    """Show one dead letter with what is kept of its bytes (redacted)."""
    from tracemill.flows.project_store import open_store
    from tracemill.ingest.dead_letter_book import show_dead_letter

    with open_store(load_settings(settings_file)) as store:
        full = show_dead_letter(store, letter)
    one, console = full.letter, Console(highlight=False, markup=False)
    console.print(f"{one.id}: {one.reject_class}, {one.reason}")
    console.print(f"{one.topic} partition {one.partition} offset {one.offset} {one.path}")
    console.print(f"decoder {one.decoder}, {one.value_bytes:,} bytes, sha256 {full.value_sha256}")
    for name, value in full.headers:
        console.print(f"header {name}: {value.decode('utf-8', 'replace')}")
    kept = "(not kept)" if full.value is None else full.value.decode("utf-8", "replace")
    console.print(kept, soft_wrap=True)


def replay(
    letters: Annotated[
        list[str] | None, typer.Argument(help="Ids; none: all that still wait.")
    ] = None,
    settings_file: SettingsFile = None,
) -> None:
    """Try dead letters again, with the decoders and settings of today."""
    from tracemill.flows.clock import now
    from tracemill.flows.project_store import open_store
    from tracemill.ingest.dead_letter_book import replay_dead_letters
    from tracemill.ingest.refetch import refetch

    settings = load_settings(settings_file)
    fetch = partial(
        refetch,
        settings.kafka.bootstrap_servers,
        client_options=settings.kafka.client_options,
    )
    with open_store(settings) as store:
        tried = replay_dead_letters(
            store, options=settings.ingest, now=now(), ids=letters or (), fetch=fetch
        )
    if not any(tried):
        raise TracemillError("no dead letter waits: there was nothing to replay")
    Console().print(
        f"{tried.recovered} became usable, {tried.still_dead} failed again, "
        f"{tried.not_kept} are neither in the store nor in their topic any more; "
        f"{tried.forgotten} parts are of forgotten users and were not written."
    )
