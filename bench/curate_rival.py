"""distilabel's MinHashDedup over texts: `python bench/curate_rival.py TEXTS THRESHOLD`.

It runs in distilabel's own environment, which has nothing of Tracemill. TEXTS is a JSON list; the
last line printed is JSON: CPU seconds, and how many texts were left out.
"""

import json
import sys
import time
from pathlib import Path


def main(texts: Path, threshold: float) -> dict[str, float]:
    """Return what the step took, by windows of five letters."""
    from distilabel.steps import MinHashDedup  # type: ignore[import-not-found, unused-ignore]

    inputs = [{"text": text} for text in json.loads(texts.read_text(encoding="utf-8"))]
    step = MinHashDedup(tokenizer="ngrams", n=5, threshold=threshold)
    step.load()
    started = time.process_time()
    kept = [row for batch in step.process(inputs) for row in batch]
    seconds = time.process_time() - started
    left_out = sum(not row["keep_row_after_minhash_filtering"] for row in kept)
    return {"seconds": seconds, "left_out": left_out}


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), float(sys.argv[2]))))
