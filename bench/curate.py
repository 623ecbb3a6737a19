"""How fast rows are split, deduplicated and decontaminated: `python -m bench.curate`.

100,000 candidate tasks, of which 5,000 are the suite, go through what drafting does to them; some
repeat others exactly or nearly, some repeat the suite. distilabel's MinHashDedup removes the near
duplicates of the same texts for comparison (installed into `.bench/` for this alone); it is timed on
a part and its time scaled, since its cost is linear. Each runs in a process of its own; seconds are
CPU seconds. The last line is JSON: `rows_per_s`, `ratio_to_distilabel`, `peak_rss_mb`.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from bench.installed import python_with
from tracemill.curation.contamination import guard
from tracemill.curation.options import CurationOptions
from tracemill.curation.reach import conversation_text
from tracemill.curation.row_building import make_rows
from tracemill.curation.selection import select
from tracemill.curation.split import split_of
from tracemill.curation.task import Task, ToolCallCheck, TraceRef
from tracemill.ingest.trace import Message, ToolCall

ROWS = 100_000
SUITE_SHARE = 0.05
OPTIONS = CurationOptions(max_healthy_per_slice=ROWS, heldout_share=SUITE_SHARE)
SYLLABLES = [
    a + b for a in "bcdfghklmnprstvz" for b in ("ar", "el", "in", "ot", "us", "ane", "ilo")
]
WORDS = [one + other for one in SYLLABLES for other in SYLLABLES]
MOMENT = datetime(2026, 3, 1, tzinfo=UTC)


def texts(rows: int) -> Iterator[str]:
    """Conversations of about 400 words: 2 % repeat an earlier one, 5 % nearly, in one word."""
    rng = random.Random(0)
    known: list[str] = []
    for index in range(rows):
        chance = rng.random()
        if known and chance < 0.02:
            yield rng.choice(known)
            continue
        words = rng.choice(known).split() if known and chance < 0.07 else rng.choices(WORDS, k=400)
        words[rng.randrange(len(words))] = f"order{index}"
        text = " ".join(words)
        if len(known) < 20_000:
            known.append(text)
        yield text


def tasks(rows: int) -> list[Task]:
    """A healthy decision for each text."""
    return [_task(index, text) for index, text in enumerate(texts(rows))]


def _task(index: int, text: str) -> Task:
    call = ToolCall(id="c", name="refund_order", arguments=f'{{"order_id": {index}}}')
    group = f"user {index // 4}"
    return Task(
        id=f"task-{index:06}",
        prompt=(Message(role="system", content="You help."), Message(role="user", content=text)),
        tools=(),
        checks=(ToolCallCheck(tool=call.name, arguments={"order_id": index}),),
        reference=Message(role="assistant", tool_calls=(call,)),
        reference_origin="production",
        slice="refund_order",
        split=split_of(group, seed=OPTIONS.split_seed, heldout_share=SUITE_SHARE),
        group=group,
        sources=(TraceRef(trace_id=f"trace-{index}", revision=1),),
        seen_at=MOMENT,
    )


def curate(rows: int) -> dict[str, float]:
    """Split, deduplicate, decontaminate and guard; the figures of it."""
    candidates = tasks(rows)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    started = time.process_time()
    sides = [split_of(task.group, seed=0, heldout_share=SUITE_SHARE) for task in candidates]
    selected = select(candidates, OPTIONS)
    suite = [task for task in selected.tasks if task.split == "heldout"]
    seconds = time.process_time() - started
    examples = make_rows(selected.tasks, OPTIONS).examples
    started = time.process_time()
    guard(examples, suite, near_duplicate=OPTIONS.near_duplicate)
    seconds += time.process_time() - started
    assert sides.count("heldout") > 0.03 * rows
    print(f"{rows:,} candidates ({sides.count('heldout'):,} of the suite's side): "
          f"{len(suite):,} suite tasks, {len(examples):,} rows; left out: {dict(selected.left_out)}",
          file=sys.stderr)  # fmt: skip
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": seconds, "peak_mb": peak, "of_them_the_rows_mb": before}


def distilabel(rows: int) -> dict[str, float]:
    """Return what distilabel's own step takes for the texts of the same rows."""
    texts = [conversation_text((*task.prompt, task.reference)) for task in tasks(rows)]
    # it imports requests without saying so
    python = python_with("distilabel[minhash]", "datasketch<1.7", "requests")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "texts.json"
        path.write_text(json.dumps(texts), encoding="utf-8")
        rival = Path(__file__).with_name("curate_rival.py")
        return _figures([str(python), str(rival), str(path), str(OPTIONS.near_duplicate)])


def _in_its_own_process(what: str, rows: int) -> dict[str, float]:
    return _figures([sys.executable, "-m", "bench.curate", "--only", what, "--rows", str(rows)])


def _figures(argv: list[str]) -> dict[str, float]:
    done = subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True)
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def main() -> None:
    """Run the benchmark; `--rows N` and `--compared N` for other sizes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=("curate",), help=argparse.SUPPRESS)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--no-rivals", action="store_true", help="leave out distilabel")
    parser.add_argument("--compared", type=int, default=10_000, help="rows that distilabel gets")
    arguments = parser.parse_args()
    if arguments.only:
        print(json.dumps(curate(arguments.rows)))
        return
    ours = _in_its_own_process("curate", arguments.rows)
    print(f"curated in {ours['seconds']:.1f} s of CPU; peak {ours['peak_mb']:.0f} MB, "
          f"of which the rows themselves {ours['of_them_the_rows_mb']:.0f} MB")  # fmt: skip
    ratio = None
    if not arguments.no_rivals:
        theirs = distilabel(arguments.compared)
        scaled = theirs["seconds"] * arguments.rows / arguments.compared
        print(f"distilabel's MinHashDedup on {arguments.compared:,}: {theirs['seconds']:.1f} s of "
              f"CPU ({theirs['left_out']:.0f} left out), {scaled:.0f} s for as many")  # fmt: skip
        ratio = round(ours["seconds"] / scaled, 4)
    print(json.dumps({
        "rows_per_s": round(arguments.rows / ours["seconds"]),
        "ratio_to_distilabel": ratio,
        "peak_rss_mb": round(ours["peak_mb"]),
    }))  # fmt: skip


if __name__ == "__main__":
    main()
