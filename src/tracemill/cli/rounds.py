"""`tracemill round`: say what a round would do and cost, or run it now."""

import typer
from rich.console import Console
from rich.table import Table

from tracemill.cli.options import SettingsFile
from tracemill.errors import NothingToTrainError
from tracemill.settings import load_settings


def build_app() -> typer.Typer:
    """Return the `round` command group."""
    app = typer.Typer(help="Plan or run a post-training round.", no_args_is_help=True)
    app.command("plan")(plan)
    app.command("run")(run)
    return app


def plan(settings_file: SettingsFile = None) -> None:
    """Say what the next round would train on, how long it would take, and what it would cost."""
    from tracemill.flows import console as steps
    from tracemill.flows.intake import NothingToTrain

    settings = load_settings(settings_file)
    steps.mine(settings)
    drafted = steps.draft(settings)
    if isinstance(drafted, NothingToTrain):
        raise NothingToTrainError(drafted.reason)
    champion = steps.champion(settings)
    dataset = steps.build_dataset(settings, drafted, champion)
    round_ = steps.plan(settings, dataset, champion)
    if isinstance(round_, NothingToTrain):
        raise NothingToTrainError(round_.reason)
    table = Table(title=f"{round_.id} from {champion.name} version {champion.version}")
    for column in ("method", "rows", "steps", "tokens", "seconds"):
        table.add_column(column, justify="left" if column == "method" else "right")
    for stage in round_.plan.stages:
        table.add_row(
            stage.method,
            f"{stage.rows:,}",
            f"{stage.steps:,}",
            f"{stage.tokens:,}",
            f"{stage.seconds:,.0f}",
        )
    console = Console()
    console.print(table)
    for reason in round_.plan.reasons:
        console.print(f"- {reason}", markup=False)
    console.print(f"About {round_.plan.seconds:,.0f} s and ${round_.plan.cost_usd:.4f}.")


def run(settings_file: SettingsFile = None) -> None:
    """Run one round on what the store holds: mine, train, evaluate, judge, register."""
    from tracemill.flows.console import CONSOLE_STEPS
    from tracemill.flows.improve import improve

    report = improve(load_settings(settings_file), CONSOLE_STEPS)
    if report.outcome == "nothing to train":
        raise NothingToTrainError(report.reason)
    console = Console()
    console.print(f"Version {report.version}: {report.outcome}.", style="bold")
    console.print(report.reason, markup=False)
