"""Run a job in a worker process, and hear what it says."""

import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tracemill.errors import TrainingFailedError
from tracemill.training.job import SAID, FailureSaid, Job, JobResult
from tracemill.training.launch import Launcher

Progress = Callable[[str, int, int, float], None]
"""Stage, step, steps, loss."""

_LOG_TAIL_LINES = 20
_PATIENCE_SECONDS = 300.0


def run_job(
    job: Job, *, launcher: Launcher, threads: int | None = None, progress: Progress | None = None
) -> JobResult:
    """Return what the worker made of the job.

    Raises TrainingFailedError with the worker's reason, or with the end of its log where it died.
    """
    log_path = job.folder / "worker.log"
    with _started(job, launcher, log_path=log_path, threads=threads) as worker:
        failure = _listen(worker, progress)
        code = worker.wait()
    if failure is not None:
        raise TrainingFailedError(failure.reason)
    if code != 0:
        raise TrainingFailedError(_obituary(job, code, log_path))
    return JobResult.from_json(job.result_path.read_text())


@contextmanager
def _started(
    job: Job, launcher: Launcher, *, log_path: Path, threads: int | None
) -> Iterator["subprocess.Popen[str]"]:
    """Yield the worker; it is gone afterwards, however one leaves."""
    with log_path.open("w") as log:
        worker = subprocess.Popen(
            launcher.command(str(job.folder / "job.json")),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            env=launcher.environment(threads),
            text=True,
        )
    watchdog = _watchdog(worker, job.limit_seconds)
    try:
        yield worker
    finally:
        watchdog.cancel()
        # The end of their input ends the workers, those that torchrun started included.
        if worker.stdin is not None:
            worker.stdin.close()
        if worker.poll() is None:
            worker.kill()
        worker.wait()


def _watchdog(worker: "subprocess.Popen[str]", limit_seconds: float | None) -> threading.Timer:
    """Kill a worker that hangs far past its limit."""
    patience = threading.TIMEOUT_MAX
    if limit_seconds is not None:
        patience = min(patience, 2 * limit_seconds + _PATIENCE_SECONDS)
    timer = threading.Timer(patience, worker.kill)
    timer.daemon = True
    timer.start()
    return timer


def _listen(worker: "subprocess.Popen[str]", progress: Progress | None) -> FailureSaid | None:
    failure: FailureSaid | None = None
    for line in worker.stdout or ():
        said = SAID.validate_json(line)
        if isinstance(said, FailureSaid):
            failure = said
        elif progress is not None:
            progress(said.stage.upper(), said.step, said.steps, said.loss)
    return failure


def _obituary(job: Job, code: int, log_path: Path) -> str:
    how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
    tail = "\n".join(log_path.read_text(errors="replace").splitlines()[-_LOG_TAIL_LINES:])
    return (
        f"the worker of round {job.round_id!r} {how}; run the round again to go on from its last "
        f"checkpoint. The end of {log_path}:\n{tail}"
    )
