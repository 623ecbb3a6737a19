"""`tracemill gate`, `promote`, `rollback`: what people do with a registered candidate."""

import getpass
from typing import Annotated

import typer
from rich.console import Console

from tracemill.cli.options import SettingsFile
from tracemill.deploy.version import AliasMove
from tracemill.errors import TracemillError
from tracemill.settings import load_settings

Reason = Annotated[str, typer.Option("--reason", help="Why; it stays in the alias history.")]
By = Annotated[str | None, typer.Option("--by", help="Who. [default: your login name]")]


def gate(
    version: Annotated[str, typer.Argument(help="The registered version to judge.")],
    settings_file: SettingsFile = None,
) -> None:
    """Judge a version again, from its stored scorecards, by the rules of today's settings."""
    from tracemill.flows import rounds

    verdict = rounds.judge_again(load_settings(settings_file), version)
    console = Console()
    console.print(verdict.outcome.upper(), style="bold")
    for reason in verdict.reasons:
        console.print(f"- {reason}", markup=False)
    if not verdict.promotes:
        raise TracemillError(f"version {version} does not pass the gate: {verdict.reasons[0]}")


def promote(
    version: Annotated[str, typer.Argument(help="The version to make champion.")],
    reason: Reason,
    by: By = None,
    force: Annotated[
        bool, typer.Option("--force", help="Against the gate's verdict; recorded as such.")
    ] = False,
    settings_file: SettingsFile = None,
) -> None:
    """Make a version the champion, after its artifacts were read back and verified."""
    from tracemill.flows import rounds
    from tracemill.flows.clock import now

    registry = rounds.open_registry(load_settings(settings_file))
    move = registry.promote(
        version, by=by or getpass.getuser(), reason=reason, now=now(), force=force
    )
    _say(move)


def rollback(reason: Reason, by: By = None, settings_file: SettingsFile = None) -> None:
    """Make the previous champion the champion again."""
    from tracemill.flows import rounds
    from tracemill.flows.clock import now

    registry = rounds.open_registry(load_settings(settings_file))
    _say(registry.rollback(by=by or getpass.getuser(), reason=reason, now=now()))


def _say(move: AliasMove) -> None:
    Console().print(
        f"{move.alias} is version {move.to_version} (was {move.from_version or 'none'}).",
        markup=False,
    )
