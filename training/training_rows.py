"""What a dataset offers to training."""

from collections.abc import Sequence
from typing import Protocol

from tracemill.curation.rows import Example, Pair, Unpaired
from tracemill.curation.task import Task


class TrainingRows(Protocol):
    """Rows of the training side alone; a frozen dataset has them."""

    @property
    def examples(self) -> Sequence[Example]:
        """The rows for SFT."""
        ...

    @property
    def pairs(self) -> Sequence[Pair]:
        """The rows for DPO."""
        ...

    @property
    def unpaired(self) -> Sequence[Unpaired]:
        """The rows for KTO."""
        ...

    @property
    def tasks(self) -> Sequence[Task]:
        """What GRPO tries."""
        ...
