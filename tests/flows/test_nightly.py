from pathlib import Path

import pytest

from tests.flows.tiny_company import RECIPES, load_agent, serve, write_settings
from tracemill.evaluation.verdict import Verdict
from tracemill.flows.clock import now
from tracemill.flows.improve import NightReport
from tracemill.flows.intake import ingest_traces, mine_findings, reports_folder
from tracemill.flows.nightly import nightly
from tracemill.flows.rounds import live_failures, open_registry
from tracemill.flows.upkeep import watch
from tracemill.settings import Settings


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the projects of this module lie, with one registry for all."""
    return tmp_path_factory.mktemp("nights")


def run(settings: Settings, folder: Path, *, recipe: str | None = None) -> NightReport:
    return nightly(str(folder / f"{settings.project.name}.toml"), recipe=recipe)


def test_a_full_night_mends_what_failed_and_moves_the_alias(folder: Path, busy_broker: str) -> None:
    settings = write_settings(folder, busy_broker, name="tiny-desk")

    report = run(settings, folder)

    assert report.outcome == "promoted", report.reason
    champion = open_registry(settings).champion()
    assert champion is not None
    assert champion.version == report.version == "2"
    assert report.mined.findings["bad feedback"] > 20
    assert _gain(report.verdict) > 0.2
    (page,) = reports_folder(settings).glob("dataset-*.html")
    assert "steps looked at" in page.read_text()

    # and the champion serves better, as its own traces on Kafka show
    serve(busy_broker, load_agent(champion.path, champion.ref), seed=2, count=60)
    ingest_traces(settings, now=now)
    mine_findings(settings, now=now())
    before, after = live_failures(settings)
    assert after.high < before.low
    watched = watch(str(folder / "tiny-desk.toml"))
    assert not watched.recommends_demotion
    assert watched.reference == before.model


def test_a_recipe_that_harms_one_slice_is_held_back(folder: Path, busy_broker: str) -> None:
    settings = write_settings(folder, busy_broker, name="harmed-desk")

    report = run(settings, folder, recipe=str(RECIPES / "harmful-dpo.toml"))

    assert report.outcome == "held back", report.reason
    assert report.verdict is not None
    harmed = {each.name for each in report.verdict.slices if each.outcome == "fail"}
    assert harmed & {"get_weather", "book_table", "cancel_order"}
    champion = open_registry(settings).champion()
    assert champion is not None
    assert champion.version == "1"


def test_an_empty_night_says_so(folder: Path, busy_broker: str) -> None:
    settings = write_settings(folder, busy_broker, name="quiet-desk")
    path = folder / "quiet-desk.toml"
    path.write_text(path.read_text().replace('["agent-traces", "agent-feedback"]', '["quiet"]'))

    report = run(settings, folder)

    assert report.outcome == "nothing to train"
    assert "no trace" in report.reason


def test_the_same_night_again_trains_nothing_new(folder: Path, busy_broker: str) -> None:
    settings = write_settings(folder, busy_broker, name="harmed-desk")
    recipe = str(RECIPES / "harmful-dpo.toml")
    run(settings, folder, recipe=recipe)

    report = run(settings, folder, recipe=recipe)

    assert report.outcome == "nothing to train"
    assert "registered as version" in report.reason


def _gain(verdict: Verdict | None) -> float:
    assert verdict is not None
    assert verdict.overall is not None
    return verdict.overall.difference.estimate
