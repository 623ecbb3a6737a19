from pathlib import Path

from tracemill.training.complete import is_complete, mark_complete, newest_checkpoint


def checkpoint(folder: Path, step: int, *, job: str = "job-1") -> Path:
    path = folder / f"checkpoint-{step}"
    path.mkdir()
    (path / "model.safetensors").write_text("weights")
    (path / "optimizer.pt").write_text("optimizer")
    mark_complete(path, job=job)
    return path


def test_the_newest_complete_checkpoint_is_by_number_and_not_by_name(tmp_path: Path) -> None:
    checkpoint(tmp_path, 9)
    newest = checkpoint(tmp_path, 10)

    assert newest_checkpoint(tmp_path, job="job-1") == newest


def test_a_checkpoint_that_lost_a_file_is_passed_over(tmp_path: Path) -> None:
    older = checkpoint(tmp_path, 9)
    (checkpoint(tmp_path, 10) / "optimizer.pt").unlink()

    assert newest_checkpoint(tmp_path, job="job-1") == older


def test_a_cut_file_or_a_missing_manifest_is_incomplete(tmp_path: Path) -> None:
    cut, unmarked = checkpoint(tmp_path, 1), checkpoint(tmp_path, 2)
    (cut / "model.safetensors").write_text("wei")
    (unmarked / "COMPLETE").unlink()

    assert not is_complete(cut, job="job-1")
    assert not is_complete(unmarked, job="job-1")


def test_a_checkpoint_of_another_job_is_never_resumed(tmp_path: Path) -> None:
    checkpoint(tmp_path, 5, job="job-2")

    assert newest_checkpoint(tmp_path, job="job-1") is None
