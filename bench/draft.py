"""Whether the cost of a night's drafting grows with the store: `python -m bench.draft`.

Two stores, one with 10,000 and one with 200,000 traces that were mined and drafted already, get the
same 10,000 new traces, mined too; drafting is then measured in a process of its own, from the store
to the selected tasks. One trace in fifty failed and says what it should have done, so that the
tasks of failures, which all stay, grow with the store; the rest are requests that were fulfilled,
or failures that nothing mends. Seconds are CPU seconds of that process, all its threads together.
The last line is JSON: `traces_per_s` (in the small store), `store_growth_ratio`, `peak_rss_mb`,
`ratio_of_all_anew` (what reading the large store anew would cost, from the time that filling took).
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.mine import MOMENT, NEW, add, make_trace
from tracemill.curation.draft import draft
from tracemill.curation.mine import mine
from tracemill.curation.options import CurationOptions
from tracemill.ingest.store import Store
from tracemill.ingest.trace import ExpectedCall, Outcome, Trace

SMALL, LARGE = 10_000, 200_000
_BLOCK = 5_000
_ONE_IN = 50
OPTIONS = CurationOptions()


def make(index: int, rng: random.Random) -> Trace:
    """An episode; one in fifty calls its first tool for another order than the user named."""
    trace = make_trace(index, rng)
    if index % _ONE_IN:
        return trace
    asked = trace.messages[2].tool_calls[0]
    wrong = asked.model_copy(update={"arguments": f'{{"order_id": "{index + 7_000_000}"}}'})
    first = trace.messages[2].model_copy(update={"tool_calls": (wrong,)})
    expected = ExpectedCall(name=asked.name, arguments={"order_id": str(index)})
    return trace.model_copy(
        update={
            "messages": (*trace.messages[:2], first, *trace.messages[3:]),
            "outcome": Outcome(reward=0.0, expected_calls=(expected,)),
        }
    )


def fill(path: Path, size: int) -> None:
    """A store with `size` drafted traces and the new ones that wait; prints the seconds of drafting."""
    rng = random.Random(0)
    with Store(path, memory_mb=1024) as store:
        _come(store, range(size), rng)
        started = time.process_time()
        draft(store, OPTIONS)
        print(json.dumps(time.process_time() - started))
        _come(store, range(10_000_000, 10_000_000 + NEW), rng)


def _come(store: Store, indexes: range, rng: random.Random) -> None:
    for first in range(0, len(indexes), _BLOCK):
        add(store, [make(index, rng) for index in indexes[first : first + _BLOCK]])
    mine(store, now=MOMENT)


def measure(path: Path) -> None:
    """Draft what is new and print the figures as JSON; run in a process of its own."""
    read: list[int] = []
    with Store(path) as store:
        started, cpu = time.perf_counter(), time.process_time()
        drafted = draft(store, OPTIONS, progress=lambda done, total: read.append(total))
        seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - cpu
    assert set(read) == {NEW}, read
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    failures = sum(task.is_failure for task in drafted.tasks)
    print(json.dumps({"seconds": seconds, "cpu_seconds": cpu_seconds, "peak_mb": peak_mb,
                      "tasks": len(drafted.tasks), "failures": failures}))  # fmt: skip


def run(folder: Path, size: int) -> dict[str, float]:
    """Fill and measure a store of `size` traces."""
    path = folder / f"{size}.duckdb"
    filling = float(_in_its_own_process("--fill", str(path), "--large", str(size)))
    print(f"{size:>9,} traces: drafted in {filling:.0f} s of CPU, "
          f"store of {path.stat().st_size / 1e6:.0f} MB", flush=True)  # fmt: skip
    figures = json.loads(_in_its_own_process("--measure", str(path)))
    path.unlink()
    print(f"{'':>9}  {NEW:,} new ones in {figures['seconds']:.2f} s ({figures['cpu_seconds']:.2f} s of "
          f"CPU), {figures['tasks']:,} tasks, {figures['failures']:,} of failures, "
          f"peak {figures['peak_mb']:.0f} MB", flush=True)  # fmt: skip
    return {**figures, "filling": filling}


def _in_its_own_process(*more: str) -> str:
    """What it prints; the peak memory of a process begins with that of the one that started it."""
    argv = [sys.executable, "-m", "bench.draft", *more]
    return subprocess.run(argv, check=True, capture_output=True, text=True).stdout


def main() -> None:
    """Run the benchmark; `--large N` for another size of the large store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--fill", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--large", type=int, default=LARGE)
    arguments = parser.parse_args()
    if arguments.fill is not None:
        fill(arguments.fill, arguments.large)
        return
    if arguments.measure is not None:
        measure(arguments.measure)
        return
    with tempfile.TemporaryDirectory() as folder:
        small, large = run(Path(folder), SMALL), run(Path(folder), arguments.large)
    print(json.dumps({
        "traces_per_s": round(NEW / small["cpu_seconds"]),
        "store_growth_ratio": round(large["cpu_seconds"] / small["cpu_seconds"], 3),
        "ratio_of_all_anew": round(large["filling"] / small["cpu_seconds"], 1),
        "peak_rss_mb": round(max(small["peak_mb"], large["peak_mb"])),
    }))  # fmt: skip


if __name__ == "__main__":
    main()
