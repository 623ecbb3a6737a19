"""`tracemill report`: the versions, how they do in production, and what the watch makes of it."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from tracemill.cli.options import SettingsFile
from tracemill.deploy.live import LiveRate
from tracemill.deploy.version import AliasMove, ModelVersion
from tracemill.settings import load_settings


def report(settings_file: SettingsFile = None) -> None:
    """Show the registered versions, their live failure rates, and whether to roll back."""
    from tracemill.flows import rounds

    settings, console = load_settings(settings_file), Console()
    registry = rounds.open_registry(settings)
    console.print(versions_table(registry.versions()))
    console.print(history_table(registry.history()))
    console.print(live_table(rounds.live_failures(settings)))
    watched = rounds.watch_champion(settings)
    if watched is not None:
        console.print("Watch:", style="bold", end=" ")
        console.print(watched.reason, markup=False)


def versions_table(versions: Sequence[ModelVersion]) -> Table:
    """Return a line for each version, the latest first."""
    table = Table("version", "aliases", "gate", "trained from", "round", title="Versions")
    for each in versions:
        table.add_row(
            each.version,
            ", ".join(each.aliases),
            each.verdict or "–",
            each.parent_version or "–",
            each.round_id or "–",
        )
    return table


def history_table(moves: Sequence[AliasMove]) -> Table:
    """Return who moved the champion, when and why."""
    table = Table("when", "from", "to", "by", "why", title="Moves of the champion")
    for move in moves:
        when = f"{move.at:%Y-%m-%d %H:%M}"
        table.add_row(when, move.from_version or "–", move.to_version, move.by, move.reason)
    return table


def live_table(rates: Sequence[LiveRate]) -> Table:
    """Return the live failure rate of each model version, with its interval."""
    table = Table(
        "version",
        "traces",
        "failed",
        "failure rate (95 % interval)",
        "met an outage, not judged",
        title="Live failure rate by model version, from the traces on Kafka",
    )
    for rate in rates:
        interval = f"({rate.low:.0%} to {rate.high:.0%})"
        share = "–" if rate.share is None else f"{rate.share:.0%} {interval}"
        counts = (str(rate.traces), str(rate.failed))
        table.add_row(rate.model.label, *counts, share, str(rate.infrastructure))
    return table
