"""Task: a prompt, tools, an environment and checks, so that any model's rollout can be scored.

Tasks are data; `checks.py` scores a rollout against one, `environment.py` says what an
environment is, `draft.py` makes tasks of findings.
"""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from tracemill.ingest.trace import Message, ModelRef, ToolSpec
from tracemill.record import Record

Split = Literal["train", "heldout"]
ReferenceOrigin = Literal[
    "correction", "expectation", "recovery", "sibling", "environment", "resample", "production"
]


class ToolCallCheck(Record):
    """Some call of the rollout is to this tool with these arguments."""

    kind: Literal["tool_call"] = "tool_call"
    tool: str
    arguments: dict[str, JsonValue]
    """Numbers match within 1e-6 and across int, float and numeric text; text ignores case and
    outer blanks."""
    weight: float = 1.0


class AnswerCheck(Record):
    """The last answer contains this text, ignoring case."""

    kind: Literal["answer"] = "answer"
    contains: str
    weight: float = 1.0


class ArgumentMatch(Record):
    """What one argument must be."""

    name: str
    how: Literal["equal", "near", "set", "pattern", "any"]
    """equal: as in ToolCallCheck; near: a number within `tolerance`; set: a list in any order;
    pattern: text that the regular expression `value` matches whole; any: whatever, if it is there."""
    value: JsonValue = None
    tolerance: float = 0.0


class MatchedCallCheck(Record):
    """Some call of the rollout is to this tool, with every argument as its match says.

    Arguments without a match must not be there, unless `allows_others`.
    """

    kind: Literal["matched_call"] = "matched_call"
    tool: str
    matches: tuple[ArgumentMatch, ...]
    allows_others: bool = False
    weight: float = 1.0


class NoErrorCheck(Record):
    """No tool reply of the rollout is an error."""

    kind: Literal["no_error"] = "no_error"
    weight: float = 1.0


class FinalAnswerCheck(Record):
    """The last answer, as a whole: equal text, a pattern within it, or a number it holds."""

    kind: Literal["final_answer"] = "final_answer"
    how: Literal["equal", "pattern", "number"]
    value: str
    tolerance: float = 1e-6
    """Of a number."""
    weight: float = 1.0


class LimitCheck(Record):
    """The rollout takes at most so many steps, tool calls and tokens."""

    kind: Literal["limit"] = "limit"
    max_steps: int | None = None
    """Assistant messages."""
    max_calls: int | None = None
    max_tokens: int | None = None
    """Of all its assistant messages, as their model counted them; a recorded message, of which no
    count is known, is taken to have one for each four bytes."""
    weight: float = 1.0


class SchemaCheck(Record):
    """Every call is to an offered tool, with arguments that satisfy its JSON schema."""

    kind: Literal["schema"] = "schema"
    weight: float = 1.0


class EnvironmentCheck(Record):
    """The environment's own verdict on the episode."""

    kind: Literal["environment"] = "environment"
    weight: float = 1.0


class CheckFile(Record):
    """A file that a command finds in its folder."""

    name: str = Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$")
    content: str


class CommandLimits(Record):
    """What a command may use."""

    seconds: float = Field(default=10.0, gt=0)
    """By the clock, for all its processes."""
    cpu_seconds: int = Field(default=10, ge=1)
    """Of each process, as are the next two."""
    memory_mb: int = Field(default=1024, ge=16)
    file_mb: int = Field(default=16, ge=1)
    processes: int = Field(default=64, ge=1)
    """Of one user; Linux holds root to no such limit."""
    output_chars: int = Field(default=2000, ge=0)
    """Kept of what it writes."""


class CommandCheck(Record):
    """A command of the team's own exits with 0; `sandbox.py` says what it is given.

    It is written in task files only: nothing that a trace says becomes a command.
    """

    kind: Literal["command"] = "command"
    name: str
    command: tuple[str, ...] = Field(min_length=1)
    """Program and arguments; no shell reads them."""
    files: tuple[CheckFile, ...] = ()
    limits: CommandLimits = CommandLimits()
    weight: float = 1.0


class JudgeCheck(Record):
    """A language model accepts the rollout by a rubric; see `judge.py`."""

    kind: Literal["judge"] = "judge"
    name: str
    rubric: str = Field(min_length=1)
    url: str = Field(pattern=r"^https?://")
    """Of an OpenAI-compatible endpoint, often ending in /v1."""
    model: str
    key_variable: str | None = None
    """The environment variable that holds the endpoint's key; the key itself is not written down."""
    seconds: float = Field(default=60.0, gt=0)
    max_tokens: int = Field(default=300, ge=1)
    weight: float = 1.0


Check = Annotated[
    ToolCallCheck
    | MatchedCallCheck
    | AnswerCheck
    | FinalAnswerCheck
    | NoErrorCheck
    | LimitCheck
    | SchemaCheck
    | EnvironmentCheck
    | CommandCheck
    | JudgeCheck,
    Field(discriminator="kind"),
]


class EnvironmentRef(Record):
    """Which environment a task runs in, and the state it starts from."""

    factory: str
    """`module:callable`; called without arguments it returns an Environment."""
    state: JsonValue


class TraceRef(Record):
    """A source trace, at the revision that was read."""

    trace_id: str
    revision: int


class Task(Record):
    """One decision to get right, or one whole episode."""

    id: str
    prompt: tuple[Message, ...]
    """The whole prefix up to the step at fault; the rollout continues it."""
    tools: tuple[ToolSpec, ...]
    environment: EnvironmentRef | None = None
    checks: tuple[Check, ...]
    max_steps: int = 1
    """Assistant messages a rollout may take."""
    reference: Message
    """A continuation that passes every check."""
    reference_rest: tuple[Message, ...] = ()
    """Assistant messages that follow the reference where it takes more than one."""
    reference_origin: ReferenceOrigin
    is_whole_episode: bool = False
    """Whether the rollout starts at the request and goes on to its end, not one decision."""
    failing: Message | None = None
    """What the agent did instead; it fails some check. None where the agent was right."""
    failing_model: ModelRef | None = None
    slice: str
    """The kind of request, for reports and for the gate's protection."""
    failure_mode: str | None = None
    split: Split
    group: str
    """User, session or source task: what may not lie on both sides of a split."""
    sources: tuple[TraceRef, ...]
    seen_at: datetime
    pass_rate: float | None = None
    """The champion's share of passing rollouts, where it was measured."""

    @property
    def is_failure(self) -> bool:
        """Whether the task comes from something that went wrong."""
        return self.failing is not None
