"""How fast mining is, and whether its cost grows with the store: `python -m bench.mine`.

Two stores, one with 10,000 and one with 1,000,000 traces that were mined already, get the same
10,000 new traces; each is then mined in a process of its own. Seconds are CPU seconds of that
process, all its threads together, so that "on a core" holds on a busy machine too. The last line
is JSON: `traces_per_s`, `store_growth_ratio`, `peak_rss_mb`; `traces_per_s` is for the SQL detectors
(with the reading of traces and the facts that they ask), `all_traces_per_s` for all detectors.
"""

import argparse
import json
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import zstandard

from tracemill.curation.detectors.table import DETECTORS
from tracemill.curation.findings import prepare_tables
from tracemill.curation.mine import mine
from tracemill.curation.night_counting import count_again
from tracemill.ingest.store import Store
from tracemill.ingest.trace import Message, ModelRef, Outcome, Step, ToolCall, ToolSpec, Trace

NEW = 10_000
MOMENT = datetime(2026, 3, 1, tzinfo=UTC)
TOOLS = tuple(
    ToolSpec(
        name=name,
        description=f"Does what {name} says.",
        parameters={
            "type": "object",
            "properties": {key: {"type": "string"} for key in ("order_id", "reason", "user_id")},
            "required": ["order_id"],
        },
    )
    for name in ("get_order", "refund_order", "cancel_order", "get_user", "book_table")
)
WORDS = ("please", "could", "order", "table", "flight", "late", "broken", "wrong", "today", "money")


def make_trace(index: int, rng: random.Random) -> Trace:
    """An episode of two to six calls; some are refused, some episodes fail, a few meet an outage."""
    request = " ".join(rng.choices(WORDS, k=14))
    messages = [
        Message(role="system", content="You are the support desk. " * 12),
        Message(role="user", content=f"{request} {index}"),
    ]
    for turn in range(rng.randint(2, 6)):
        tool = rng.choice(TOOLS).name
        call = ToolCall(id=f"c{turn}", name=tool, arguments=f'{{"order_id": "{index + turn}"}}')
        messages.append(Message(role="assistant", tool_calls=(call,)))
        messages.append(Message(role="tool", tool_call_id=call.id, content=_reply(index, rng)))
    messages.append(Message(role="assistant", content="It is done. " + request))
    started = MOMENT + timedelta(seconds=index % 86_400)
    steps = [
        Step(message=at, prompt_tokens=400, completion_tokens=30, cost_usd=0.001)
        for at, message in enumerate(messages)
        if message.role == "assistant"
    ]
    return Trace(
        id=f"trace-{index}",
        user_id=f"user-{index % 5000}",
        agent="desk",
        model=ModelRef(name="desk", version=str(1 + index % 2)),
        messages=tuple(messages),
        tools=TOOLS,
        steps=tuple(steps),
        outcome=Outcome(reward=float(rng.random() < 0.8)),
        started_at=started,
        ended_at=started + timedelta(seconds=rng.randint(3, 30)),
        dialect="bench",
    )


def _reply(index: int, rng: random.Random) -> str:
    chance = rng.random()
    if chance < 0.05:
        return f"Error: order {index} not found"
    if chance < 0.06:
        return "Error: 503 Service Unavailable"
    return '{"status": "done", "items": ["a", "b", "c"], "note": "as the customer wished"}'


COLUMNS = (
    "id", "revision", "changed_at", "started_at", "model_name", "model_version", "dialect",
    "content_hash", "aliases", "body",
)  # fmt: skip


def add(store: Store, traces: list[Trace]) -> None:
    """Write the traces as commits of ingest would."""
    for first in range(0, len(traces), 500):
        with store.transaction():
            change = store.next_change()
            store.append("trace_rows", COLUMNS, [
                (t.id, 1, change, t.started_at, t.model.name, t.model.version, t.dialect, "", [], zstandard.compress(t.to_json().encode()))
                for t in traces[first : first + 500]
            ])  # fmt: skip


COPIES = {
    "trace_rows": "id || '-' || $1 AS id, started_at - to_days($1) AS started_at",
    "findings": "trace_id || '-' || $1 AS trace_id, seen_at - to_days($1) AS seen_at",
    "trace_facts": "trace_id || '-' || $1 AS trace_id, started_at - to_days($1) AS started_at, "
    "strftime(started_at - to_days($1), '%Y-%m-%d') AS night",
}
"""Table → what is another in a copy, which is of an earlier day."""


def fill(path: Path, size: int) -> None:
    """A store with `size` mined traces and the new ones that wait.

    A block of traces is mined for real, and copied with other ids, with what was found in it.
    """
    rng = random.Random(0)
    block = min(size, 10_000)
    with Store(path, memory_mb=1024) as store:
        prepare_tables(store)
        add(store, [make_trace(index, rng) for index in range(block)])
        mine(store, now=MOMENT)
        for copy in range(1, size // block):
            for table, change in COPIES.items():
                store.execute(
                    f"INSERT INTO {table} SELECT * REPLACE ({change}) FROM {table} "  # noqa: S608 - tables of ours
                    f"WHERE {'id' if table == 'trace_rows' else 'trace_id'} NOT LIKE 'trace-%-%'",
                    [copy],
                )
        nights = store.execute("SELECT DISTINCT night FROM trace_facts")
        count_again(store, [night for (night,) in nights])
        add(store, [make_trace(10_000_000 + index, rng) for index in range(NEW)])


def measure(path: Path, *, sql_only: bool) -> None:
    """Mine what is new and print the figures as JSON; run in a process of its own."""
    with Store(path) as store:
        started, cpu = time.perf_counter(), time.process_time()
        report = mine(store, now=MOMENT, detectors=() if sql_only else DETECTORS)
        seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - cpu
    assert report.traces == NEW, report
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "cpu_seconds": cpu_seconds, "peak_mb": peak_mb}))


def run(folder: Path, size: int) -> dict[str, float]:
    """Fill and measure a store of `size` traces."""
    path = folder / f"{size}.duckdb"
    started = time.perf_counter()
    _in_its_own_process("--fill", str(path), "--large", str(size))
    print(f"{size:>9,} traces: filled in {time.perf_counter() - started:.0f} s, "
          f"{path.stat().st_size / 1e6:.0f} MB", flush=True)  # fmt: skip
    copy = path.with_suffix(".copy")
    shutil.copy(path, copy)
    figures = json.loads(_in_its_own_process("--measure", str(path)))
    by_sql = json.loads(_in_its_own_process("--measure", str(copy), "--sql-only"))
    path.unlink()
    copy.unlink()
    print(f"{'':>9}  {NEW:,} new ones mined in {figures['seconds']:.2f} s "
          f"({figures['cpu_seconds']:.2f} s of CPU), peak {figures['peak_mb']:.0f} MB", flush=True)  # fmt: skip
    print(f"{'':>9}  by the SQL detectors alone: {by_sql['cpu_seconds']:.2f} s of CPU", flush=True)
    return {**figures, "sql_cpu_seconds": by_sql["cpu_seconds"]}


def _in_its_own_process(*more: str) -> str:
    """What it prints. The peak memory of a process begins with that of the one that started it:
    this one must stay small."""
    argv = [sys.executable, "-m", "bench.mine", *more]
    return subprocess.run(argv, check=True, capture_output=True, text=True).stdout


def main() -> None:
    """Run the benchmark; `--large N` for another size of the large store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--fill", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--sql-only", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--large", type=int, default=1_000_000)
    arguments = parser.parse_args()
    if arguments.fill is not None:
        fill(arguments.fill, arguments.large)
        return
    if arguments.measure is not None:
        measure(arguments.measure, sql_only=arguments.sql_only)
        return
    with tempfile.TemporaryDirectory() as folder:
        small, large = run(Path(folder), 10_000), run(Path(folder), arguments.large)
    print(json.dumps({
        "traces_per_s": round(NEW / small["sql_cpu_seconds"]),
        "all_traces_per_s": round(NEW / small["cpu_seconds"]),
        "store_growth_ratio": round(large["cpu_seconds"] / small["cpu_seconds"], 3),
        "peak_rss_mb": round(max(small["peak_mb"], large["peak_mb"])),
    }))  # fmt: skip


if __name__ == "__main__":
    main()
