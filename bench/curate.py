"""How fast rows are split, deduplicated and decontaminated: `python -m bench.curate`.

100,000 candidate tasks, of which 5,000 are the suite, go through what drafting does to them; some
repeat others exactly or nearly, some repeat the suite. distilabel's MinHashDedup removes the near
duplicates of the same texts for comparison (it is wanted for this alone: `pip install
"distilabel[minhash]" "datasketch<1.7"`); it is timed on a part and its time scaled, since its cost is linear. Each
runs in a process of its own; seconds are CPU seconds. The last line is JSON: `rows_per_s`,
`ratio_to_distilabel` (null where distilabel is not installed), `peak_rss_mb`.
"""

import argparse
import importlib.util
import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime

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
    """distilabel's own step over the texts of the same rows, by windows of five letters."""
    from distilabel.steps import MinHashDedup  # type: ignore[import-not-found, unused-ignore]

    inputs = [{"text": conversation_text((*task.prompt, task.reference))} for task in tasks(rows)]
    step = MinHashDedup(tokenizer="ngrams", n=5, threshold=OPTIONS.near_duplicate)
    step.load()
    started = time.process_time()
    kept = [row for batch in step.process(inputs) for row in batch]
    seconds = time.process_time() - started
    left_out = sum(not row["keep_row_after_minhash_filtering"] for row in kept)
    print(f"distilabel: {rows:,} texts, {left_out:,} left out", file=sys.stderr)
    return {"seconds": seconds}


def _in_its_own_process(what: str, rows: int) -> dict[str, float]:
    argv = [sys.executable, "-m", "bench.curate", "--only", what, "--rows", str(rows)]
    done = subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True)
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def main() -> None:
    """Run the benchmark; `--rows N` and `--compared N` for other sizes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=("curate", "distilabel"), help=argparse.SUPPRESS)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--compared", type=int, default=10_000, help="rows that distilabel gets")
    arguments = parser.parse_args()
    if arguments.only:
        run = {"curate": curate, "distilabel": distilabel}[arguments.only]
        print(json.dumps(run(arguments.rows)))
        return
    ours = _in_its_own_process("curate", arguments.rows)
    print(f"curated in {ours['seconds']:.1f} s of CPU; peak {ours['peak_mb']:.0f} MB, "
          f"of which the rows themselves {ours['of_them_the_rows_mb']:.0f} MB")  # fmt: skip
    ratio = None
    if importlib.util.find_spec("distilabel"):
        theirs = _in_its_own_process("distilabel", arguments.compared)
        scaled = theirs["seconds"] * arguments.rows / arguments.compared
        print(f"distilabel's MinHashDedup on {arguments.compared:,}: {theirs['seconds']:.1f} s of "
              f"CPU, {scaled:.0f} s for as many")  # fmt: skip
        ratio = round(ours["seconds"] / scaled, 4)
    print(json.dumps({
        "rows_per_s": round(arguments.rows / ours["seconds"]),
        "ratio_to_distilabel": ratio,
        "peak_rss_mb": round(ours["peak_mb"]),
    }))  # fmt: skip


if __name__ == "__main__":
    main()
