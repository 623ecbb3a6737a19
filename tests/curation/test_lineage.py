from collections.abc import Mapping, Sequence
from pathlib import Path

import orjson
import pytest

from tests.curation.conversations import DAY, MODEL
from tests.curation.kept import keep
from tests.ingest.reading import KEY
from tests.ingest.samples import agent_span, chat_span, otlp
from tracemill.curation.dataset import Dataset, freeze, load_dataset
from tracemill.curation.draft import draft
from tracemill.curation.explain import explain, rows_in
from tracemill.curation.findings import prepare_tables
from tracemill.curation.forget import forget, search
from tracemill.curation.mine import mine
from tracemill.curation.options import CurationOptions
from tracemill.curation.row_building import rows_of
from tracemill.errors import StoreError
from tracemill.ingest.dead_letter_book import mirror_dead_letters
from tracemill.ingest.files import FileSource
from tracemill.ingest.options import IngestOptions
from tracemill.ingest.redact import Redactor
from tracemill.ingest.run import ingest
from tracemill.ingest.store import Store
from tracemill.ingest.trace import SourceRange, SubAgent, Trace

OPTIONS = CurationOptions()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store.duckdb")


@pytest.fixture
def dataset(store: Store, tmp_path: Path, airline: list[Trace]) -> Dataset:
    placed = [
        one.model_copy(
            update={
                "sources": (SourceRange(topic="runs", partition=1, first_offset=n, last_offset=n),),
                "sub_agents": (SubAgent(agent="critic", model=MODEL, messages=()),),
            }
        )
        for n, one in enumerate(airline[:90])
    ]
    keep(store, placed)
    mine(store, now=DAY)
    drafted = draft(store, OPTIONS)
    rows = rows_of(drafted, OPTIONS)
    return freeze(drafted, rows, folder=tmp_path / "datasets", options=OPTIONS, now=DAY)


def test_every_row_leads_back_to_its_record_on_the_wire(
    store: Store, tmp_path: Path, dataset: Dataset, airline: list[Trace]
) -> None:
    pair = dataset.pairs[0]

    found = explain(store, tmp_path / "datasets", pair.id)

    place = [one.id for one in airline].index(pair.sources[0].trace_id)
    assert (found.kind, found.datasets, found.task_id) == ("pair", (dataset.id,), pair.task_id)
    assert found.sources[0].records == (
        SourceRange(topic="runs", partition=1, first_offset=place, last_offset=place),
    )
    assert found.sources[0].sub_agents == ("critic",)
    assert any("unexpected call" in claim for claim in found.sources[0].findings)
    kinds = {
        explain(store, tmp_path / "datasets", row.id).kind
        for _, row in list(rows_in(dataset.path))[::60]
    }
    assert kinds >= {"task", "suite task"}


def test_a_row_that_no_dataset_holds_is_refused(store: Store, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="holds a row 'pair-1'"):
        explain(store, tmp_path / "datasets", "pair-1")


def test_a_forgotten_user_is_nowhere_and_the_others_are_where_they_were(
    store: Store, tmp_path: Path, dataset: Dataset, airline: list[Trace]
) -> None:
    user_id = next(p.group for p in dataset.pairs).removeprefix("user ")
    theirs = {one.id for one in airline[:90] if one.user_id == user_id}
    reached = [row for _, row in rows_in(dataset.path) if row.group == f"user {user_id}"]
    store.execute("INSERT INTO closed_long_ago SELECT id, started_at FROM traces")
    assert search(store, tmp_path / "datasets", [user_id]) != ()

    gone = forget(store, tmp_path / "datasets", user_id, now=DAY)

    assert (set(gone.traces), gone.remaining) == (theirs, ())
    assert [(each.id, each.rows) for each in gone.datasets] == [(dataset.id, len(reached))]
    left = load_dataset(tmp_path / "datasets" / gone.datasets[0].replaced_by)
    assert not dataset.path.exists()
    assert left.manifest.refused["forgotten on request"] == len(reached)
    assert set(left.pairs) == {p for p in dataset.pairs if p.group != f"user {user_id}"}
    assert store.execute("SELECT count(*) FROM traces") == [(90 - len(theirs),)]


def test_forgetting_somebody_unknown_is_an_error_not_a_success(
    store: Store, tmp_path: Path
) -> None:
    with pytest.raises(StoreError, match="nothing is known of user 'nobody'"):
        forget(store, tmp_path / "datasets", "nobody", now=DAY)


def test_what_waits_or_could_not_be_read_is_forgotten_too(store: Store, tmp_path: Path) -> None:
    prepare_tables(store)
    redactor = Redactor(KEY)
    record = {"user_id": "ann-4711", "log": "nothing that is known"}
    values = [
        otlp(agent_span("ab" * 16, user__id="ann-4711")),
        otlp(chat_span("ab" * 16)),
        orjson.dumps(record),
        orjson.dumps({**record, "user_id": "bob"}),
    ]
    (tmp_path / "redaction.key").write_text(KEY.hex())
    (tmp_path / "log.jsonl").write_bytes(b"\n".join(values) + b"\n")
    ingest(FileSource([tmp_path / "log.jsonl"]), store, options=IngestOptions(), now=lambda: DAY)
    user_id = redactor.pseudonym("ann-4711")
    assert "fragments.body" in search(store, tmp_path / "datasets", [user_id])

    gone = forget(store, tmp_path / "datasets", user_id, now=DAY, pseudonym=redactor.pseudonym)

    assert (gone.traces, gone.dead_letters, gone.remaining) == (("ab" * 16,), 1, ())
    assert store.execute("SELECT count(*) FROM open_traces") == [(0,)]
    assert store.execute("SELECT count(*) FROM fragments") == [(0,)]
    assert store.execute("SELECT count(*) FROM dead_letters") == [(1,)]
    assert search(store, tmp_path / "datasets", ["ann-4711"]) == ()


class Topic:
    """A topic of dead letters, which keeps what it is sent."""

    def __init__(self) -> None:
        self.records: list[Mapping[str, bytes]] = []

    def send(
        self,
        topic: str,
        value: bytes | None,
        *,
        key: bytes | None,
        headers: Sequence[tuple[str, bytes]],
    ) -> None:
        self.records.append(dict(headers))

    def flush(self) -> int:
        return len(self.records)


def test_what_was_sent_to_the_topic_of_dead_letters_is_named_since_it_is_still_there(
    store: Store, tmp_path: Path
) -> None:
    prepare_tables(store)
    (tmp_path / "redaction.key").write_text(KEY.hex())
    redactor, sent = Redactor(KEY), Topic()
    for number in range(2):
        log = tmp_path / f"{number}.json"
        log.write_bytes(orjson.dumps({"user_id": "ann-4711", "line": number}))
        ingest(FileSource([log]), store, options=IngestOptions(), now=lambda: DAY)
        if number == 0:
            mirror_dead_letters(store, sent, "letters", now=DAY)

    gone = forget(
        store, tmp_path, redactor.pseudonym("ann-4711"), now=DAY, pseudonym=redactor.pseudonym
    )

    (record,) = sent.records
    assert gone.dead_letters == 2
    assert gone.sent_letters == (record["tracemill.dead-letter.id"].decode(),)


def test_forgetting_a_user_again_finds_nothing_and_is_no_error(
    store: Store, tmp_path: Path, dataset: Dataset
) -> None:
    user_id = next(p.group for p in dataset.pairs).removeprefix("user ")
    forget(store, tmp_path / "datasets", user_id, now=DAY)

    again = forget(store, tmp_path / "datasets", user_id, now=DAY)

    assert (again.traces, again.dead_letters, again.datasets, again.remaining) == ((), 0, (), ())
