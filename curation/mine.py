"""Mining: run the detectors over the traces that are new to them.

Incremental by commit: each detector version remembers up to which commit of ingest it has read,
so its cost grows with the new traces. A trace that was revised, or got feedback, is of a later
commit and is read again; a new version of a detector reads everything again.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice

from tracemill.curation.cycle_search import without_cycle_search
from tracemill.curation.detection import detect_in, make_finding
from tracemill.curation.detectors.reading import Detector, Reading, StoreDetector
from tracemill.curation.detectors.table import DETECTORS, STORE_DETECTORS
from tracemill.curation.facts import Notebook, night_of
from tracemill.curation.finding import Finding, Standing
from tracemill.curation.findings import prepare_tables, write_findings
from tracemill.curation.mining_progress import by_progress, drop_stale, remember, retire
from tracemill.curation.mode_assignment import assign_modes
from tracemill.curation.modes import standings
from tracemill.curation.nearness import BY_WORDS, ModeNearness
from tracemill.curation.night_counting import count_again, nights_changed_since
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store
from tracemill.ingest.trace import Trace
from tracemill.record import Record

_PAGE = 1000
"""Traces whose findings are committed together."""
_FACTS = Detector("facts", 2, "edge case", 0.0, "step", lambda _: ())
"""Stands for the tables of facts where progress is kept: they are written once a trace."""


class MiningReport(Record):
    """What one run of mining read and found."""

    traces: int
    """Traces that some detector read."""
    findings: dict[str, int]
    """By detector, in the traces read."""
    infrastructure_traces: int
    """Of those read: how many an outage touched; they yield no training row."""
    modes: dict[Standing, int]
    """All modes of the store, by standing."""
    mined_at: datetime


@dataclass
class _Tally:
    """What has been read and found so far."""

    due: int
    """Readings of traces that there will be: one that two detectors read at different times is two."""
    progress: Callable[[int, int], None] | None
    done: int = 0
    read: set[str] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)
    spoiled: set[str] = field(default_factory=set)
    nights: set[str] = field(default_factory=set)

    def count_page(self, page: Sequence[Trace]) -> None:
        """Count the traces of a page as read."""
        self.read.update(trace.id for trace in page)
        self.nights.update(night_of(trace) for trace in page)
        self.done += len(page)
        if self.progress is not None:
            self.progress(self.done, self.due)

    def add(self, findings: Sequence[Finding]) -> None:
        self.counts.update(finding.detector for finding in findings)
        self.spoiled.update(f.trace_id for f in findings if f.kind == "infrastructure")


def mine(
    store: Store,
    *,
    now: datetime,
    detectors: Sequence[Detector] = DETECTORS,
    store_detectors: Sequence[StoreDetector] = STORE_DETECTORS,
    nearness: ModeNearness = BY_WORDS,
    progress: Callable[[int, int], None] | None = None,
) -> MiningReport:
    """Read what is new in the store, keep the findings there, and return what was found.

    First every trace by itself, then beside the others, then findings are grouped into modes.
    `nearness` tells which findings belong together; `progress` hears (traces read, of how many).
    """
    prepare_tables(store)
    upto = store.last_change()
    names = {each.name for each in (_FACTS, *DETECTORS, *detectors)}
    names |= {each.name for each in (*STORE_DETECTORS, *store_detectors)}
    retired = retire(store, names)
    to_read = by_progress(store, (_FACTS, *detectors))
    tally = _Tally(sum(_changed(store, since) for since in to_read), progress, nights=set(retired))
    looked_at: set[int] = set()
    for since, due in to_read.items():
        tally.nights |= nights_changed_since(store, since)
        drop_stale(store, due, since, were_read=bool(tally.nights))
        with without_cycle_search():
            _read_new(store, due, since, tally)
        looked_at.add(since)
    for since, comparing in by_progress(store, store_detectors).items():
        if since not in looked_at:
            tally.nights |= nights_changed_since(store, since)
        drop_stale(store, comparing, since, were_read=True)
        _compare_new(store, comparing, since, tally)
    assign_modes(store, nearness)
    count_again(store, tally.nights)
    # last, so that a run that is killed before is done again as a whole
    remember(store, (_FACTS, *detectors, *store_detectors), upto)
    return MiningReport(
        traces=len(tally.read),
        findings=dict(sorted(tally.counts.items())),
        infrastructure_traces=len(tally.spoiled),
        modes=dict(sorted(Counter(standings(store).values()).items())),
        mined_at=now,
    )


def _read_new(store: Store, detectors: Sequence[Detector], since: int, tally: _Tally) -> None:
    notebook = None
    if _FACTS in detectors:
        if tally.nights:
            store.execute(statement(__file__, "drop_stale_facts"), [since])
        notebook = Notebook(store)
    for page in _pages(store.traces(changed_since=since)):
        readings = [Reading(trace) for trace in page]
        findings = [found for reading in readings for found in detect_in(reading, detectors)]
        with store.transaction():
            write_findings(store, findings)
            if notebook is not None:
                notebook.write(readings)
        tally.add(findings)
        tally.count_page(page)


def _changed(store: Store, since: int) -> int:
    ((count,),) = store.execute(statement(__file__, "count_changed"), [since])
    return int(count)


def _compare_new(
    store: Store, detectors: Sequence[StoreDetector], since: int, tally: _Tally
) -> None:
    for detector in detectors:
        claims = list(detector.find(store, since))
        traces = {trace.id: trace for trace in store.read_traces({each[0] for each in claims})}
        findings = [
            make_finding(claim, detector, traces[trace_id])
            for trace_id, claim in claims
            if trace_id in traces
        ]
        with store.transaction():
            write_findings(store, findings)
        tally.add(findings)


def _pages(traces: Iterator[Trace]) -> Iterator[list[Trace]]:
    while page := list(islice(traces, _PAGE)):
        yield page
