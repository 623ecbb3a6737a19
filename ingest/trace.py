"""Trace: what an agent did in one episode, from the request to its end.

It is the one currency of the loop: served traffic, rollouts in training and rollouts in
evaluation are all Traces, and one code scores them.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Literal

import orjson
from pydantic import Field, JsonValue

from tracemill.ingest.usage import Usage, total
from tracemill.record import Record, content_id

Role = Literal["system", "user", "assistant", "tool"]
FinishReason = Literal["stop", "tool", "length", "refused", "error", "unknown"]
FeedbackSource = Literal["user", "expert", "judge", "code"]


def _is_empty(value: object) -> bool:
    """Whether a field is left out where it is written: most traces have no such thing."""
    return value == ()


def _is_none(value: object) -> bool:
    return value is None


class ModelRef(Record):
    """The model that answered, as the trace names it."""

    name: str
    version: str | None = None

    @property
    def label(self) -> str:
        """`name@version`, or the name alone."""
        return self.name if self.version is None else f"{self.name}@{self.version}"


class ToolCall(Record):
    """One call that an assistant message makes."""

    id: str
    name: str
    arguments: str
    """The text the model wrote, which may be no JSON."""

    def parsed(self) -> dict[str, JsonValue] | None:
        """Return the arguments as a mapping, or None if the text is no JSON object."""
        try:
            value = orjson.loads(self.arguments)
        except orjson.JSONDecodeError:
            return None
        return value if isinstance(value, dict) else None


class Message(Record):
    """One message in OpenAI chat form."""

    role: Role
    content: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    name: str | None = None
    is_error: bool | None = None
    """Of a tool result: what the wire says of it; None where the wire says nothing."""

    def to_chat(self) -> dict[str, JsonValue]:
        """Return the message as chat templates and OpenAI endpoints take it.

        Arguments that are a JSON object become one; others stay the text they were.
        """
        chat: dict[str, JsonValue] = {"role": self.role, "content": self.content or ""}
        if self.tool_calls:
            chat["tool_calls"] = [_call_to_chat(call) for call in self.tool_calls]
        if self.tool_call_id is not None:
            chat["tool_call_id"] = self.tool_call_id
        if self.name is not None:
            chat["name"] = self.name
        return chat


def _call_to_chat(call: ToolCall) -> dict[str, JsonValue]:
    parsed = call.parsed()
    arguments: JsonValue = call.arguments if parsed is None else parsed
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": arguments},
    }


class ToolSpec(Record):
    """A tool as it was offered to the model."""

    name: str
    description: str = ""
    parameters: dict[str, JsonValue] = Field(default_factory=dict)
    """JSON schema of the arguments."""

    def to_chat(self) -> dict[str, JsonValue]:
        """Return the tool in OpenAI function form."""
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description,
                "parameters": self.parameters,
            },
        }


class Step(Record):
    """What is known of one assistant message beyond its text."""

    message: int
    """Index of the assistant message in its conversation's `messages`."""
    started_at: datetime | None = None
    ended_at: datetime | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None
    finish_reason: FinishReason = "unknown"
    error: str | None = None
    """The model call's own failure (an API error, a timeout), not the tool's."""

    @property
    def usage(self) -> Usage:
        """What the model call took."""
        return Usage(
            calls=1,
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            cost_usd=self.cost_usd,
        )


class ExpectedCall(Record):
    """A call that the episode should have made, where somebody says so."""

    name: str
    arguments: dict[str, JsonValue]


class Feedback(Record):
    """A judgement of a trace that came from outside it, perhaps hours later."""

    id: str
    target: str
    """The id it names: of a trace, span, run, response or session, or the application's own."""
    name: str
    score: float | None = None
    """0 (bad) to 1 (good)."""
    label: str | None = None
    comment: str | None = None
    correction: Message | None = None
    """The assistant message that should have been sent."""
    step: int | None = None
    """Index of the assistant message that it speaks of; None: of the whole trace."""
    source: FeedbackSource = "user"
    created_at: datetime
    retracted: bool = False


class Outcome(Record):
    """How the episode ended, as far as its own record says."""

    reward: float | None = None
    """0 to 1."""
    label: str | None = None
    error: str | None = None
    """The harness's or provider's failure: the episode is no evidence about the agent."""
    expected_calls: tuple[ExpectedCall, ...] = ()


class SourceRange(Record):
    """Where on the wire a trace came from; offsets are inclusive."""

    topic: str
    partition: int
    first_offset: int
    last_offset: int


class SubAgent(Record):
    """A conversation of its own within an episode, apart from the main agent's.

    It is an agent's that was called by a tool or by another agent, or a call aside that shares no
    message with the agent above it (a router, a title).
    """

    agent: str
    tool_call_id: str | None = None
    """The call of the agent above under which it ran; None where that cannot be told."""
    model: ModelRef
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    steps: tuple[Step, ...] = ()
    sub_agents: tuple["SubAgent", ...] = Field(default=(), exclude_if=_is_empty)
    """Those that it called itself."""
    started_at: datetime | None = None
    ended_at: datetime | None = None
    is_truncated: bool = False
    error: str | None = None
    """Why it failed, as its span, its last model call or its tool's span says."""

    @property
    def usage(self) -> Usage:
        """What its model calls took, and those of its sub-agents."""
        return _usage_of(self.steps, self.sub_agents)


def _usage_of(steps: Iterable[Step], sub_agents: Iterable[SubAgent]) -> Usage:
    return total([*(step.usage for step in steps), *(agent.usage for agent in sub_agents)])


class Trace(Record):
    """One episode. Messages are the transcript of the main agent; others' lie in `sub_agents`."""

    id: str
    revision: int = 1
    """Grows by one each time a late span or message changes a closed trace."""
    session_id: str | None = None
    user_id: str | None = None
    """Pseudonymous."""
    tenant_id: str | None = Field(default=None, exclude_if=_is_none)
    """The customer that the user belongs to; pseudonymous, too."""
    agent: str = "agent"
    model: ModelRef
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    steps: tuple[Step, ...] = ()
    sub_agents: tuple[SubAgent, ...] = Field(default=(), exclude_if=_is_empty)
    """In order of their start."""
    unplaced: Usage | None = Field(default=None, exclude_if=_is_none)
    """What model calls took whose answer is in no transcript: tried again, or not captured."""
    outcome: Outcome = Outcome()
    feedback: tuple[Feedback, ...] = ()
    task: str | None = None
    """The application's own name for what was asked, where it has one."""
    environment_state: JsonValue = None
    """What the user's environment needs to be set up as it was when the episode began."""
    started_at: datetime
    ended_at: datetime | None = None
    is_complete: bool = True
    is_truncated: bool = False
    has_content: bool = True
    dropped_attributes: int = 0
    dialect: str
    sources: tuple[SourceRange, ...] = ()

    @property
    def tools_fingerprint(self) -> str:
        """Identity of the offered tools: equal for equal names and schemas."""
        return content_id("tools", [tool.model_dump() for tool in self.tools])

    @property
    def usage(self) -> Usage:
        """What all model calls took, each once: sub-agents' and unplaced ones too."""
        beside = () if self.unplaced is None else (self.unplaced,)
        return total((_usage_of(self.steps, self.sub_agents), *beside))

    def step_at(self, message: int) -> Step | None:
        """Return what is known of the assistant message at this index, if anything is."""
        return next((step for step in self.steps if step.message == message), None)
