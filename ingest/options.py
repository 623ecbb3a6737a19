"""How ingest waits, batches and decodes; the settings compose it."""

from pathlib import Path

from pydantic import Field

from tracemill.ingest.mapping import FeedbackMapping, FieldMapping
from tracemill.record import Record


class TopicOptions(Record):
    """What is known of one topic (or file) beforehand."""

    decoder: str = "auto"
    """A name from `tracemill.ingest.decoders.table`; auto tells by content."""
    mapping: FieldMapping | None = None
    """For decoder "mapped"; given with "auto" it means "mapped"."""
    feedback_mapping: FeedbackMapping | None = None
    """For a topic of feedback in the team's own JSON."""
    quiet_seconds: float | None = None
    """Overrides the general one."""
    max_wait_seconds: float | None = None


class RedactionOptions(Record):
    """What must not be written, beyond what is recognised anyway."""

    patterns: dict[str, str] = Field(default_factory=dict)
    """Name → regular expression of the team's own (Rust syntax: no look-around)."""
    fields: tuple[str, ...] = ()
    """Names of fields whose whole value is replaced, at any depth, in any spelling of case."""
    key_file: Path | None = None
    """Holds the key of this deployment; None: `redaction.key` beside the store."""


class FollowOptions(Record):
    """How a worker that runs on shares the store with other processes.

    Opening and closing the file takes 25 to 100 ms.
    """

    hold_seconds: float = Field(default=5.0, ge=0)
    """How long it has the store open while records keep coming; without any it gives it back."""
    gap_seconds: float = Field(default=0.25, ge=0)
    """How long the store is left free then; who waits for it looks every 0.05 s."""
    close_seconds: float = Field(default=5.0, ge=0)
    """How often it opens the store to close traces that are due, while nothing comes."""


class IngestOptions(Record):
    """How ingest waits, batches and decodes."""

    quiet_seconds: float = Field(default=60.0, ge=0)
    """A trace whose root was seen closes after so long without another span of it."""
    max_wait_seconds: float = Field(default=1800.0, ge=0)
    """A trace closes so long after its first span, whatever is missing."""
    keep_spans_days: float = Field(default=30.0, gt=0, le=36_500)
    """How long a closed trace's spans are kept after the last came: a late one can change it till then."""
    batch_records: int = Field(default=1000, ge=1)
    """Records that are committed together, at most."""
    topics: dict[str, TopicOptions] = Field(default_factory=dict)
    """By topic; for files by the name of the file or a folder above it."""
    dead_letter_topic: str | None = None
    """Each dead letter is sent to this topic too, at least once; None: kept in the store alone."""
    follow: FollowOptions = FollowOptions()
    redaction: RedactionOptions = RedactionOptions()
    lower_is_better: tuple[str, ...] = (
        "toxicity",
        "hallucination",
        "harmfulness",
        "bias",
        "error_rate",
    )
    """Names of feedback whose score is 0 for good and 1 for bad: it is turned round."""
