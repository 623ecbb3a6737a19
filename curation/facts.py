"""Facts: each mined trace in figures, kept beside the findings so that SQL can compare peers.

Tokens and cost are those of all its model calls, its sub-agents' too; the rest is of the main agent.

Mining writes them as it reads; detectors that look at many traces at once (outliers, new tools,
novelty) ask the tables and never read a transcript again.
"""

import re
from collections.abc import Sequence
from datetime import UTC

import orjson

from tracemill.curation.detectors.outage import find_outages
from tracemill.curation.detectors.reading import Reading
from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store
from tracemill.ingest.trace import Trace

_COLUMNS = (
    "trace_id", "started_at", "night", "agent", "model", "task", "has_passed", "met_outage", "toolset", "steps", "tokens", "cost_usd",
    "seconds", "unseen_share",
)  # fmt: skip
_WORD = re.compile(r"[^\W\d_]{3,}")
_MIN_WORDS = 3
"""A request with fewer words of substance is too short to be called new."""


class Notebook:
    """Writes the facts of traces; knows the words and toolsets that were seen before."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._words: dict[tuple[str, str], str] = {
            (agent, word): trace_id
            for agent, word, trace_id in store.execute(statement(__file__, "known_words"))
        }
        self._toolsets = set(store.execute(statement(__file__, "known_toolsets")))

    def write(self, readings: Sequence[Reading]) -> None:
        """Append the facts of these traces, in the order given; inside the caller's transaction."""
        words: list[tuple[str, str, str]] = []
        rows = [self._row(reading, words) for reading in readings]
        self._store.append("trace_facts", _COLUMNS, rows)
        self._store.append("known_words", ("agent", "word", "trace_id"), words)
        self._write_toolsets(readings)

    def _row(self, reading: Reading, words: list[tuple[str, str, str]]) -> tuple[object, ...]:
        trace, usage = reading.trace, reading.trace.usage
        seconds = (trace.ended_at - trace.started_at).total_seconds() if trace.ended_at else None
        return (
            trace.id,
            trace.started_at,
            night_of(trace),
            trace.agent,
            trace.model.label,
            trace.task,
            _has_passed(reading),
            any(True for _ in find_outages(reading)),
            reading.toolset,
            len(reading.assistant_steps),
            usage.tokens,
            usage.cost_usd,
            seconds,
            self._unseen_share(trace, words),
        )

    def _unseen_share(self, trace: Trace, words: list[tuple[str, str, str]]) -> float | None:
        """Share of the request's words that no earlier trace's request had; learns them."""
        request = next((m.content for m in trace.messages if m.role == "user" and m.content), "")
        found = sorted(set(_WORD.findall(request.casefold())))
        unseen = 0
        for word in found:
            first = self._words.get((trace.agent, word))
            if first is None:
                self._words[trace.agent, word] = trace.id
                words.append((trace.agent, word, trace.id))
            unseen += first in (None, trace.id)
        return unseen / len(found) if len(found) >= _MIN_WORDS else None

    def _write_toolsets(self, readings: Sequence[Reading]) -> None:
        rows = []
        for reading in readings:
            trace, place = reading.trace, (reading.trace.agent, reading.toolset)
            if place not in self._toolsets:
                self._toolsets.add(place)
                rows += [
                    (*place, trace.id, trace.started_at, tool.name, _schema(tool.parameters))
                    for tool in trace.tools
                ]
        self._store.append(
            "toolsets", ("agent", "toolset", "trace_id", "started_at", "tool", "schema"), rows
        )


def night_of(trace: Trace) -> str:
    """Return the ISO date, UTC, on which the trace began."""
    return trace.started_at.astimezone(UTC).date().isoformat()


def _has_passed(reading: Reading) -> bool | None:
    if reading.has_failed:
        return False
    return True if reading.has_passed else None


def _schema(parameters: object) -> str:
    return orjson.dumps(parameters, option=orjson.OPT_SORT_KEYS).decode()
