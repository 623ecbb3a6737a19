"""The worker: `python -m tracemill.training.worker JOB.json` trains one round and ends.

A process of its own, so that threads, memory and a kill concern this round alone. It says its steps
on standard output, and stops when its parent does, which it sees by the end of its standard input.
Its time counts from here: what is heavy is imported only then.
"""

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from tracemill.errors import TracemillError
from tracemill.training.clock import Clock
from tracemill.training.job import FailureSaid, Job, StepSaid


def main(job_path: str) -> int:
    """Train the job; return the exit code, 0 only where a sound candidate lies in its folder."""
    say = _take_stdout()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    job = Job.from_json(Path(job_path).read_text())
    clock = Clock(job.limit_seconds)
    from tracemill.training.work import work

    try:
        work(job, clock=clock, say=say)
    except TracemillError as error:
        say(FailureSaid(reason=str(error)))
        return 1
    return 0


def _take_stdout() -> Callable[[StepSaid | FailureSaid], None]:
    """Keep standard output for what is said; what libraries print goes to standard error."""
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w", buffering=1)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    is_first = os.environ.get("RANK", "0") == "0"

    def say(said: StepSaid | FailureSaid) -> None:
        if is_first:
            print(said.to_json(), file=out, flush=True)

    return say


def _end_with_parent() -> None:
    sys.stdin.read()
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
