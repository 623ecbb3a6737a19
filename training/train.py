"""Train a round: write its job, run the worker, and return the candidate that it made."""

import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tracemill.curation.dataset import load_dataset
from transformers import AutoTokenizer

from tracemill.errors import TrainingFailedError
from tracemill.ingest.trace import ModelRef
from tracemill.record import content_id
from tracemill.training.choose import choose_examples, choose_pairs
from tracemill.training.fit import fit_examples, fit_pairs
from tracemill.training.job import SAID, FailureSaid, Job, JobResult, StepSaid, write_rows
from tracemill.training.launch import Launcher
from tracemill.training.plan import TrainingRows
from tracemill.training.round import Candidate, Round, StagePlan
from tracemill.training.weights import weights_sha256

Progress = Callable[[str, int, int, float], None]
"""Stage, step, steps, loss."""

_LOG_TAIL_LINES = 20
_PATIENCE_SECONDS = 300.0
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
    job = _write_job(round_, home)
    candidate = _finished(home, job)
    if candidate is not None:
        return candidate
    started = time.monotonic()
    _run_worker(job, launcher=launcher, threads=threads, progress=progress)
    candidate = _read_candidate(round_, job, seconds=time.monotonic() - started)
    (home / "candidate.json").write_text(candidate.to_json())
    return candidate


def _write_job(round_: Round, home: Path) -> Job:
    dataset = load_dataset(round_.dataset_path)
    rows = _write_chosen_rows(dataset, round_, home)
    identity = [
        weights_sha256(round_.champion_path),
        rows,
        round_.recipe.model_dump(),
        round_.seed,
        [stage.method for stage in round_.plan.stages],
    ]
    job = Job(
        round_id=round_.id,
        champion_path=round_.champion_path.resolve(),
        folder=home.resolve(),
        stages=tuple(stage.method for stage in round_.plan.stages),
        recipe=round_.recipe,
        seed=round_.seed,
        limit_seconds=round_.plan.limit_seconds,
        content_id=content_id("job", identity),
    )
    (home / "job.json").write_text(job.to_json())
    return job


def _write_chosen_rows(dataset: TrainingRows, round_: Round, home: Path) -> list[str]:
    """Write the rows of each planned stage; return their ids."""
    tokenizer = AutoTokenizer.from_pretrained(round_.champion_path)
    recipe = round_.recipe
    written: list[str] = []
    for stage in round_.plan.stages:
        if stage.method == "sft":
            share = recipe.sft.replay_share if recipe.sft else 0.0
            fitted = fit_examples(dataset.examples, recipe, tokenizer)
            examples = choose_examples(fitted.rows, replay_share=share, limit=stage.rows).rows
            write_rows(home / "examples.jsonl", examples)
            written += _as_planned(stage, [row.id for row in examples])
        else:
            pairs = choose_pairs(fit_pairs(dataset.pairs, recipe, tokenizer).rows, limit=stage.rows)
            write_rows(home / "pairs.jsonl", pairs)
            written += _as_planned(stage, [row.id for row in pairs])
    return written


def _as_planned(stage: StagePlan, ids: Sequence[str]) -> Sequence[str]:
    if len(ids) != stage.rows:
        raise TrainingFailedError(
            f"the plan has {stage.rows} rows for {stage.method.upper()} and the dataset gives "
            f"{len(ids)}: plan the round anew"
        )
    return ids


def _finished(home: Path, job: Job) -> Candidate | None:
    path = home / "candidate.json"
    if not path.is_file() or not job.result_path.is_file():
        return None
    result = JobResult.from_json(job.result_path.read_text())
    if result.content_id != job.content_id:
        return None
    is_whole = weights_sha256(job.weights_path) == result.weights_sha256
    return Candidate.from_json(path.read_text()) if is_whole else None


def _run_worker(
    job: Job, *, launcher: Launcher, threads: int | None, progress: Progress | None
) -> None:
    log_path = job.folder / "worker.log"
    failure: FailureSaid | None = None
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
            for line in worker.stdout or ():
                said = SAID.validate_json(line)
                if isinstance(said, FailureSaid):
                    failure = said
                elif progress is not None:
                    _pass_on(said, progress)
            worker.wait()
        finally:
            watchdog.cancel()
            if worker.poll() is None:
                worker.kill()
                worker.wait()
    if failure is not None:
        raise TrainingFailedError(failure.reason)
    if worker.returncode != 0:
        raise TrainingFailedError(_obituary(job, worker.returncode, log_path))


def _watchdog(worker: "subprocess.Popen[str]", limit_seconds: float | None) -> threading.Timer:
    """Kill a worker that hangs far past its limit."""
    patience = threading.TIMEOUT_MAX
    if limit_seconds is not None:
        patience = min(patience, 2 * limit_seconds + _PATIENCE_SECONDS)
    timer = threading.Timer(patience, worker.kill)
    timer.daemon = True
    timer.start()
    return timer


def _pass_on(said: StepSaid, progress: Progress) -> None:
    progress(said.stage.upper(), said.step, said.steps, said.loss)


def _obituary(job: Job, code: int, log_path: Path) -> str:
    how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
    tail = "\n".join(log_path.read_text(errors="replace").splitlines()[-_LOG_TAIL_LINES:])
    return (
        f"the worker of round {job.round_id!r} {how}; run the round again to go on from its last "
        f"checkpoint. The end of {log_path}:\n{tail}"
    )


def _read_candidate(round_: Round, job: Job, *, seconds: float) -> Candidate:
    result = JobResult.from_json(job.result_path.read_text())
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
