"""Night and day: the agent serves, the night improves it, and it serves again."""

import os
import shutil
import time
from datetime import UTC, datetime

from rich.console import Console
from rich.table import Table

from examples.support_desk.agent import serve
from examples.support_desk.model import base_model
from examples.support_desk.places import CACHE, PREFECT_HOME, SETTINGS, STATE
from examples.support_desk.publish import FEEDBACK, TRACES, publish
from examples.support_desk.traffic import requests
from examples.support_desk.users import opinions
from tracemill.cli.versions import live_table
from tracemill.deploy.plots import plot_live, save
from tracemill.deploy.version import ModelVersion
from tracemill.flows import intake, rounds
from tracemill.flows.clock import now
from tracemill.flows.improve import NightReport
from tracemill.flows.nightly import nightly
from tracemill.flows.progress import shown, shown_ingest
from tracemill.ingest.embedded_broker import start_broker
from tracemill.ingest.topic import create_topics
from tracemill.settings import Settings, load_settings
from tracemill.training.local_model import LocalModel

REQUESTS_BEFORE = 300
REQUESTS_AFTER = 100
SEED_BEFORE, SEED_AFTER = 1, 2
# With fixed days and a fixed key the same customers are held out in each run. The rest is as the
# machine measures it (durations, sampled tries), so runs differ a little; a real deployment makes
# a secret key of its own.
DAY_1, DAY_2 = datetime(2026, 3, 2, 18, tzinfo=UTC), datetime(2026, 3, 3, 18, tzinfo=UTC)
PSEUDONYM_KEY = b"of the demo: this is no secret!!".hex()

console = Console(highlight=False)


def run() -> None:
    """Run the whole loop once, from an empty state, and say what was measured."""
    started = time.monotonic()
    clear_state()
    with start_broker(STATE / "broker") as broker:
        os.environ["TRACEMILL_KAFKA__BOOTSTRAP_SERVERS"] = broker.address
        create_topics(broker.address, [TRACES, FEEDBACK], partitions=2)
        settings = load_settings(SETTINGS)
        champion = first_champion(settings)
        stage(f"Day 1: version {champion.version} serves {REQUESTS_BEFORE} requests")
        serve_day(settings, champion, count=REQUESTS_BEFORE, seed=SEED_BEFORE, until=DAY_1)
        stage("Night: the Prefect flow `nightly`")
        report = nightly(settings_file=str(SETTINGS))
        tell_night(report)
        if report.outcome == "promoted":
            serve_promoted(settings)
    tell_places(settings)
    console.print(f"\nThe whole demo took {time.monotonic() - started:.0f} s.")


def clear_state() -> None:
    """Forget the run before this one, but for the converted model."""
    if STATE.exists():
        console.print(f"Clearing {STATE} of the run before this one.")
        shutil.rmtree(STATE)
    STATE.mkdir(parents=True)
    (STATE / "redaction.key").write_text(PSEUDONYM_KEY)


def first_champion(settings: Settings) -> ModelVersion:
    """Fetch and convert the model at the first run, and register it as version 1."""
    with shown("Prepare SmolLM2-135M-Instruct"):
        base_model(CACHE)
    with shown("Register it in MLflow as the first champion"):
        return rounds.current_champion(settings, now=now())


def serve_day(
    settings: Settings, version: ModelVersion, *, count: int, seed: int, until: datetime
) -> None:
    """Let a version serve so many requests; its traces and their feedback go to Kafka."""
    with shown("Serve", figure="") as report:
        served = serve(
            LocalModel(version.path, version.ref, threads=settings.training.threads),
            requests(count, seed=seed),
            now=until,
            progress=lambda done, total: report("requests", done, total, 0.0),
        )
    sent = publish(settings.kafka.bootstrap_servers, served, opinions(served, seed=seed))
    fulfilled = sum(one.verdict >= 1 for one in served)
    console.print(
        f"  {fulfilled} of {count} requests fulfilled; {sent} records on Kafka "
        f"at {settings.kafka.bootstrap_servers}"
    )


def tell_night(report: NightReport) -> None:
    """Say what the night came to, and why."""
    colour = "green" if report.outcome == "promoted" else "yellow"
    console.print(f"\n[bold {colour}]The gate: {report.outcome}.[/] ", end="")
    console.print(report.reason, markup=False)
    if report.verdict is None:
        return
    table = Table("held-out tasks", "n", "champion", "candidate", "difference (interval)", "")
    for result in (
        *((report.verdict.overall,) if report.verdict.overall else ()),
        *report.verdict.slices,
    ):
        difference = result.difference
        table.add_row(
            result.name,
            str(result.tasks),
            f"{result.champion_rate:.0%}",
            f"{result.candidate_rate:.0%}",
            f"{difference.estimate:+.0%} ({difference.low:+.0%} to {difference.high:+.0%})",
            result.outcome,
        )
    console.print(table)
    console.print(f"The round took {report.seconds:.0f} s and cost ${report.cost_usd:.4f}.")


def serve_promoted(settings: Settings) -> None:
    """Let the new champion serve the same kind of requests, and compare the live failure rates."""
    champion = rounds.current_champion(settings, now=now())
    stage(f"Day 2: version {champion.version} serves {REQUESTS_AFTER} requests")
    serve_day(settings, champion, count=REQUESTS_AFTER, seed=SEED_AFTER, until=DAY_2)
    with shown_ingest(console) as show:
        intake.ingest_traces(settings, now=now, progress=show)
    intake.mine_findings(settings, now=now())
    rates = rounds.live_failures(settings)
    console.print(live_table(rates))
    picture = save(plot_live(rates), STATE / "live-failure-rate.png")
    console.print(f"The same as a picture: {picture}")


def stage(title: str) -> None:
    """Print a rule with the stage's title."""
    console.rule(f"[bold]{title}")


def tell_places(settings: Settings) -> None:
    """Say where everything lies and how to look at it."""
    stage("Look around")
    console.print(
        f"""\
Model versions and their review pages (http://127.0.0.1:5000/#/models/{settings.project.name}):
  .venv/bin/mlflow server --workers 1 --port 5000 --backend-store-uri {settings.tracking_uri}
Runs and their artifacts (http://127.0.0.1:4200):
  PREFECT_HOME={PREFECT_HOME} .venv/bin/prefect server start
What goes wrong, worst first:
  .venv/bin/tracemill failures -s {SETTINGS}
Everything lies in {STATE}.""",
        markup=False,
        soft_wrap=True,
    )
