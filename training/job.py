"""Job: what a worker process is told to train, and what it says while it does.

Parent and worker share no memory: the job is a JSON file, each saying is one JSON line on the
worker's standard output, and the result is a file in the round's folder.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import Field, TypeAdapter

from tracemill.curation.rows import Example, Pair, Unpaired
from tracemill.curation.task import Task
from tracemill.record import Record
from tracemill.training.recipe import Recipe
from tracemill.training.round import IntegrityReport, StageName, StageUse

Row = TypeVar("Row", Example, Pair, Unpaired, Task)

ROW_FILES: dict[StageName, str] = {
    "sft": "examples.jsonl",
    "dpo": "pairs.jsonl",
    "kto": "unpaired.jsonl",
    "grpo": "tasks.jsonl",
}


class Job(Record):
    """One round, as its worker sees it."""

    round_id: str
    champion_path: Path
    folder: Path
    """Where the worker writes: checkpoints, finished stages, the candidate's weights."""
    stages: tuple[StageName, ...]
    recipe: Recipe
    seed: int
    limit_seconds: float | None
    content_id: str
    """Of champion, rows, recipe and seed: a checkpoint of another job is never resumed."""

    def rows_path(self, method: StageName) -> Path:
        """The rows of a stage, one JSON record a line."""
        return self.folder / ROW_FILES[method]

    @property
    def result_path(self) -> Path:
        """What the worker made; written last."""
        return self.folder / "result.json"

    @property
    def weights_path(self) -> Path:
        """The candidate, a plain Hugging Face folder."""
        return self.folder / "weights"


class JobResult(Record):
    """What the worker made."""

    content_id: str
    used: tuple[StageUse, ...]
    remarks: tuple[str, ...]
    integrity: IntegrityReport
    render_fingerprint: str
    weights_sha256: str


class StepSaid(Record):
    """A step is done."""

    kind: Literal["step"] = "step"
    stage: StageName
    step: int
    steps: int
    loss: float


class FailureSaid(Record):
    """The worker refuses to go on, and why."""

    kind: Literal["failure"] = "failure"
    reason: str


Said = Annotated[StepSaid | FailureSaid, Field(discriminator="kind")]
SAID: TypeAdapter[StepSaid | FailureSaid] = TypeAdapter(Said)


def write_rows(path: Path, rows: Sequence[Record]) -> None:
    """Write the rows as JSON lines."""
    path.write_text("".join(f"{row.to_json()}\n" for row in rows))


def read_rows(path: Path, kind: type[Row]) -> tuple[Row, ...]:
    """Return the rows that `write_rows` wrote."""
    with path.open() as lines:
        return tuple(kind.from_json(line) for line in lines)
