"""Intake: the steps of a night up to the drafted tasks, as plain functions over the settings.

Each opens the store for itself and closes it: DuckDB lets one process in at a time, and what
comes after (training) is long.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from tracemill.curation.curation_page import curation_page
from tracemill.curation.dataset import Dataset
from tracemill.curation.detectors.judged import detector_of
from tracemill.curation.detectors.policy_breach import policy_detector
from tracemill.curation.detectors.table import DETECTORS
from tracemill.curation.draft import Draft, draft
from tracemill.curation.failure_page import failure_page
from tracemill.curation.failure_report import FailureOverview
from tracemill.curation.failure_report import failure_overview as read_overview
from tracemill.curation.feedback_bursts import find_bursts
from tracemill.curation.mine import MiningReport, mine
from tracemill.curation.nearness import nearness_of
from tracemill.errors import StoreLockedError
from tracemill.flows.ingest_lines import Line, ingest_lines
from tracemill.flows.project_store import open_store, open_store_when_free
from tracemill.ingest.dead_letter_book import count_dead_letters
from tracemill.ingest.decoded import RejectClass
from tracemill.ingest.files import FileSource
from tracemill.ingest.mirror import mirror
from tracemill.ingest.run import IngestReport, ingest
from tracemill.ingest.serve import serve
from tracemill.ingest.store import Store
from tracemill.ingest.topic import KafkaSource
from tracemill.ingest.topic_group import KafkaGroup
from tracemill.ingest.wire import Source
from tracemill.settings import Settings


class NothingToTrain(NamedTuple):
    """A night that gives no round, and why."""

    reason: str


def open_source(settings: Settings, files: Sequence[str] = ()) -> Source:
    """Return the topics of the settings as a source, or `files` instead."""
    if files:
        return FileSource(files)
    kafka = settings.kafka
    return KafkaSource(
        kafka.bootstrap_servers,
        kafka.topics,
        client_options=kafka.client_options,
        on_data_loss=kafka.on_data_loss,
    )


def ingest_traces(
    settings: Settings,
    *,
    source: Source | None = None,
    close_all: bool = False,
    now: Callable[[], datetime],
    progress: Callable[[IngestReport], None] | None = None,
) -> IngestReport:
    """Read the source (else the topics) until caught up with its ends at the start.

    `close_all` closes the traces that are still open too: nothing more will come of them.
    """
    with open_store(settings) as store:
        report = ingest(
            source or open_source(settings),
            store,
            options=settings.ingest,
            now=now,
            close_all=close_all,
            progress=progress,
        )
        return report.model_copy(update={"mirrored": mirror_letters(settings, store, now=now())})


def follow_topics(
    settings: Settings,
    *,
    is_done: Callable[[], bool],
    now: Callable[[], datetime],
    progress: Callable[[IngestReport], None] | None = None,
    worker: str | None = None,
) -> IngestReport:
    """Read the topics as one worker of the settings' group, on and on until `is_done`.

    A worker with a name takes over at once from one of its name that was killed. Others have their
    turns with the store in between. Raises StoreLockedError if another process
    had the store all the time.
    """
    kafka = settings.kafka
    group = KafkaGroup(
        kafka.bootstrap_servers,
        kafka.topics,
        kafka.group,
        is_done=is_done,
        client_options={
            **kafka.client_options,
            **({} if worker is None else {"group.instance.id": worker}),
        },
        on_data_loss=kafka.on_data_loss,
    )
    with open_store_when_free(settings, is_done) as store:
        return serve(
            group,
            store,
            options=settings.ingest,
            now=now,
            progress=progress,
            mirror=lambda held: mirror_letters(settings, held, now=now()),
        )


def told(settings: Settings, report: IngestReport) -> tuple[Line, ...]:
    """Return what a run has done, line by line, with the dead letters that wait in the store."""
    waiting: dict[RejectClass, int] = {}
    with suppress(StoreLockedError):  # another process has its turn: all else is known
        waiting = letters_waiting(settings)
    return ingest_lines(report, waiting, settings.ingest)


def letters_waiting(settings: Settings) -> dict[RejectClass, int]:
    """Return how many dead letters wait to be looked at, by their class."""
    with open_store(settings) as store:
        counted = count_dead_letters(store)
    waiting: Counter[RejectClass] = Counter()
    for reject_class, _, count in counted:
        waiting[reject_class] += count
    return dict(waiting)


def mirror_letters(settings: Settings, store: Store, *, now: datetime) -> int:
    """Send the dead letters that wait to their topic, if one is set, and return how many."""
    topic, kafka = settings.ingest.dead_letter_topic, settings.kafka
    if topic is None:
        return 0
    options = kafka.client_options
    return mirror(store, topic, kafka.bootstrap_servers, client_options=options, now=now)


def mine_findings(
    settings: Settings, *, now: datetime, progress: Callable[[int, int], None] | None = None
) -> MiningReport:
    """Run the detectors over what is new in the store; `progress` hears (read, of how many)."""
    options = settings.curation
    judges = () if options.trace_judge is None else (detector_of(options.trace_judge),)
    policy = (policy_detector(options.policy),) if options.policy else ()
    nearness = nearness_of(options.embeddings, near=options.embeddings_near)
    with open_store(settings) as store:
        return mine(
            store,
            now=now,
            detectors=(*DETECTORS, *judges, *policy),
            nearness=nearness,
            progress=progress,
        )


def failure_overview(settings: Settings) -> FailureOverview:
    """Return what went wrong so far, in figures and words."""
    with open_store(settings) as store:
        return read_overview(store)


def write_failure_page(settings: Settings, path: Path) -> None:
    """Write the failures, their trends and their clearest traces as one HTML page."""
    with open_store(settings) as store:
        path.write_text(failure_page(store), encoding="utf-8")


def undecoded_records(settings: Settings) -> dict[str, int]:
    """Return how many records wait as dead letters, by reason."""
    waiting = letters_waiting(settings)
    return {f"could not be read: {reject_class}": count for reject_class, count in waiting.items()}


def reports_folder(settings: Settings) -> Path:
    """Return where the pages of the nights lie."""
    return settings.project.folder / "reports"


def curation_page_path(settings: Settings, dataset: Dataset) -> Path:
    """Return where the page of the night that froze this dataset lies."""
    return reports_folder(settings) / f"{dataset.id}.html"


def write_curation_page(settings: Settings, dataset: Dataset) -> Path:
    """Write the page of one night's curation, from records to rows, and return its path."""
    path = curation_page_path(settings, dataset)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_store(settings) as store:
        most = settings.curation.max_feedback_per_user_day
        overview, bursts = read_overview(store), find_bursts(store, most_a_day=most).days
    undecoded = undecoded_records(settings)
    page = curation_page(dataset, overview, undecoded=undecoded, bursts=bursts)
    path.write_text(page, encoding="utf-8")
    return path


def draft_tasks(
    settings: Settings, *, progress: Callable[[int, int], None] | None = None
) -> Draft | NothingToTrain:
    """Draft tasks from the findings and from what went well.

    `progress` hears how many of the traces that are new to drafting are drafted.
    """
    with open_store(settings) as store:
        drafted = draft(store, settings.curation, progress=progress)
    if drafted.tasks or drafted.unreferenced:
        return drafted
    return NothingToTrain(_no_task(drafted.traces, drafted.refused))


def _no_task(traces: int, refused: dict[str, int]) -> str:
    if not traces:
        return "the store holds no trace: ingest some first"
    said = "; ".join(f"{count}x {reason}" for reason, count in refused.items())
    return f"none of {traces} traces gives a task: {said or 'nothing in them went wrong'}"
