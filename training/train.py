"""Train a round: write its job, run the worker, and return the candidate that it made."""

import time
from pathlib import Path

from tracemill.curation.dataset import load_dataset
from tracemill.ingest.trace import ModelRef
from tracemill.record import content_id
from tracemill.training.assign import write_job
from tracemill.training.job import Job, JobResult
from tracemill.training.launch import Launcher
from tracemill.training.round import Candidate, Round
from tracemill.training.run_job import Progress, run_job
from tracemill.training.weights import weights_sha256

_ONE_PROCESS = Launcher()


def train(
    round_: Round,
    folder: Path,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    launcher: Launcher = _ONE_PROCESS,
) -> Candidate:
    """Return the candidate of this round, whose weights lie in `folder / round_.id`.

    A round that was killed goes on from its last complete checkpoint; one that is done is not
    trained again. Raises TrainingFailedError, with the end of the worker's log, where the worker
    fails, dies, or makes something unsound.
    """
    home = folder / round_.id
    home.mkdir(parents=True, exist_ok=True)
    (home / "round.json").write_text(round_.to_json())
    job = write_job(load_dataset(round_.dataset_path), round_, home=home)
    result, known = _finished(job), home / "candidate.json"
    if result is not None and known.is_file():
        return Candidate.from_json(known.read_text())
    started = time.monotonic()
    if result is None:
        _clear(job)
        result = run_job(job, launcher=launcher, threads=threads, progress=progress)
    seconds = max(time.monotonic() - started, sum(use.seconds for use in result.used))
    candidate = _make_candidate(round_, job, result, seconds=seconds)
    known.write_text(candidate.to_json())
    return candidate


def _finished(job: Job) -> JobResult | None:
    """Return the result of this very job, where its weights are still those that were made."""
    if not job.result_path.is_file() or not job.weights_path.is_dir():
        return None
    result = JobResult.from_json(job.result_path.read_text())
    is_ours = result.content_id == job.content_id
    return result if is_ours and weights_sha256(job.weights_path) == result.weights_sha256 else None


def _clear(job: Job) -> None:
    """Remove what an earlier job in this folder said it made."""
    for name in ("result.json", "candidate.json"):
        (job.folder / name).unlink(missing_ok=True)


def _make_candidate(round_: Round, job: Job, result: JobResult, *, seconds: float) -> Candidate:
    name = content_id("candidate", [round_.id, result.weights_sha256])
    return Candidate(
        id=name,
        round=round_,
        ref=ModelRef(name=round_.champion.name, version=name),
        path=job.weights_path,
        render_fingerprint=result.render_fingerprint,
        weights_sha256=result.weights_sha256,
        used=result.used,
        seconds=seconds,
        cost_usd=seconds / 3600 * round_.plan.usd_per_hour,
        integrity=result.integrity,
        remarks=result.remarks,
    )
