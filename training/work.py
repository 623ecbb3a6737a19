"""Work: stage after stage of one round, from the champion's folder to a verified candidate.

Finished stages and complete checkpoints of the same job are not done again. Under torchrun each
process runs this; the first one writes.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from accelerate import PartialState
from transformers import AutoTokenizer

from tracemill.curation.rows import Example, Pair, Unpaired
from tracemill.curation.task import Task
from tracemill.record import Record
from tracemill.training.chat_template import render_fingerprint
from tracemill.training.clock import Clock
from tracemill.training.complete import is_complete, mark_complete
from tracemill.training.integrity import SavedDifference, compare_saved, verify
from tracemill.training.job import Job, JobResult, StepSaid, read_rows
from tracemill.training.merge import merge
from tracemill.training.round import StageName, StageUse
from tracemill.training.stage import StageInput, StageOutput
from tracemill.training.weights import weights_sha256

Say = Callable[[StepSaid], None]

_STAGE_DONE = "stage_done.json"


class StageDone(Record):
    """A finished stage, beside its weights."""

    use: StageUse
    difference: SavedDifference


class _Line(NamedTuple):
    """How far the round has come."""

    weights: Path
    done: tuple[StageDone, ...]
    remarks: tuple[str, ...]


def work(job: Job, *, clock: Clock, say: Say) -> None:
    """Train the job's stages, save and verify the candidate, and write the result.

    Raises TrainingFailedError where anything is unsound.
    """
    line = _Line(job.champion_path, (), ())
    for method in job.stages:
        line = _advance(line, method, StageInput(job, line.weights, clock, say))
    if PartialState().is_main_process:
        _finish(job, line)


def _advance(line: _Line, method: StageName, given: StageInput) -> _Line:
    folder = given.job.folder / "stages" / method
    if is_complete(folder, job=given.job.content_id):
        remarks = (*line.remarks, f"{method.upper()} was finished by an earlier try")
    elif line.done and not given.clock.has_room(0):
        return line._replace(remarks=(*line.remarks, f"{method.upper()} left out: no time left"))
    else:
        output = _train(method, given)
        if PartialState().is_main_process:
            _save(output, folder, given)
        PartialState().wait_for_everyone()
        remarks = (*line.remarks, *output.remarks)
    done = StageDone.from_json((folder / _STAGE_DONE).read_text())
    return _Line(folder, (*line.done, done), remarks)


def _train(method: StageName, given: StageInput) -> StageOutput:
    path = given.job.rows_path(method)
    match method:
        case "sft":
            from tracemill.training.sft import train_sft

            return train_sft(read_rows(path, Example), given=given)
        case "dpo":
            from tracemill.training.dpo import train_dpo

            return train_dpo(read_rows(path, Pair), given=given)
        case "kto":
            from tracemill.training.kto import train_kto

            return train_kto(read_rows(path, Unpaired), given=given)
        case "grpo":
            from tracemill.training.grpo import train_grpo

            return train_grpo(read_rows(path, Task), given=given)


def _save(output: StageOutput, folder: Path, given: StageInput) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    adapter = given.job.folder / "adapters" / output.use.method
    merged = merge(output.model, given.base, adapter=adapter)
    merged.save_pretrained(folder)
    AutoTokenizer.from_pretrained(given.base).save_pretrained(folder)
    done = StageDone(use=output.use, difference=compare_saved(output.model, merged, folder))
    (folder / _STAGE_DONE).write_text(done.to_json())
    mark_complete(folder, job=given.job.content_id)


def _finish(job: Job, line: _Line) -> None:
    """Make the candidate's folder of the last stage's, verify it, and say so in the result."""
    shutil.rmtree(job.weights_path, ignore_errors=True)
    ignored = shutil.ignore_patterns(_STAGE_DONE, "COMPLETE")
    shutil.copytree(line.weights, job.weights_path, ignore=ignored)
    integrity = verify(job.weights_path, line.done[-1].difference, champion=job.champion_path)
    result = JobResult(
        content_id=job.content_id,
        used=tuple(done.use for done in line.done),
        remarks=line.remarks,
        integrity=integrity,
        render_fingerprint=render_fingerprint(AutoTokenizer.from_pretrained(job.weights_path)),
        weights_sha256=weights_sha256(job.weights_path),
    )
    job.result_path.write_text(result.to_json())
    for name in ("stages", "checkpoints"):
        shutil.rmtree(job.folder / name, ignore_errors=True)
