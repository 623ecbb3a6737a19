import pytest

from tests.flows.tiny_company import write_settings
from tracemill.curation.dataset import Dataset
from tracemill.curation.draft import Draft
from tracemill.curation.forget import search
from tracemill.errors import StoreError
from tracemill.flows import intake, rounds
from tracemill.flows.clock import now
from tracemill.flows.lineage import (
    explain_row,
    forget_user,
    pseudonym_of,
    undo_forgetting,
)
from tracemill.ingest.store import Store
from tracemill.settings import Settings


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory, busy_broker: str) -> Settings:
    """A project that has read the day's traffic."""
    settings = write_settings(tmp_path_factory.mktemp("lineage"), busy_broker)
    intake.ingest_traces(settings, now=now)
    intake.mine_findings(settings, now=now())
    return settings


def freeze(settings: Settings) -> Dataset:
    drafted = intake.draft_tasks(settings)
    assert isinstance(drafted, Draft)
    champion = rounds.current_champion(settings, now=now())
    return rounds.build_dataset(settings, drafted, champion, now=now())


def test_a_row_leads_back_to_its_offsets_and_a_forgotten_user_is_found_nowhere(
    settings: Settings,
) -> None:
    dataset = freeze(settings)
    row, page = dataset.examples[0], intake.write_curation_page(settings, dataset)
    assert page.exists()

    explained = explain_row(settings, row.id)

    assert explained.sources[0].records[0].topic == "agent-traces"
    assert explained.sources[0].trace_id == row.sources[0].trace_id

    user = explained.sources[0].user_id
    assert user is not None
    forgotten, versions = forget_user(settings, user, now=now(), open_registry=rounds.open_registry)

    assert row.sources[0].trace_id in forgotten.traces
    assert forgotten.datasets
    assert forgotten.remaining == ()
    assert not page.exists()
    assert versions == ()
    with pytest.raises(StoreError, match="no dataset"):
        explain_row(settings, row.id)


def test_a_user_is_known_by_the_applications_own_id(settings: Settings) -> None:
    forgotten, _ = forget_user(
        settings, "customer-1-3", now=now(), open_registry=rounds.open_registry
    )

    assert forgotten.traces == ("1-3",)


def test_the_store_of_a_forgotten_user_is_a_new_file_and_no_reading_brings_them_back(
    settings: Settings,
) -> None:
    user, path = pseudonym_of(settings, "customer-1-4"), settings.store_path
    before = path.stat().st_ino
    forget_user(settings, "customer-1-4", now=now(), open_registry=rounds.open_registry)
    assert path.stat().st_ino != before

    with Store(path) as store:
        store.execute("DELETE FROM offsets")
    report = intake.ingest_traces(settings, now=now)

    assert report.forgotten >= 1
    with Store(path) as store:
        assert store.trace("1-4") is None
        assert search(store, settings.datasets_folder, [user, "1-4"]) == ()


def test_a_user_who_consents_again_is_known_by_the_same_id_as_before(settings: Settings) -> None:
    forget_user(settings, "customer-1-5", now=now(), open_registry=rounds.open_registry)

    assert undo_forgetting(settings, "customer-1-5") == pseudonym_of(settings, "customer-1-5")

    with Store(settings.store_path) as store:
        store.execute("DELETE FROM offsets")
    intake.ingest_traces(settings, now=now)
    with Store(settings.store_path) as store:
        assert store.trace("1-5") is not None


def test_an_unknown_user_is_refused(settings: Settings) -> None:
    with pytest.raises(StoreError, match="nothing is known"):
        forget_user(settings, "nobody", now=now(), open_registry=rounds.open_registry)
