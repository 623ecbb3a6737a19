"""The agent: a small model behind the desk, with the nearest example of the handbook in its prompt.

It makes one call for each request, and what the tool replies goes to the customer as it is. What
it cannot do, people take over. The episode loop is Tracemill's own, so that rollouts in training
and evaluation do what the agent does here.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from pydantic import JsonValue

from examples.support_desk.environment import SupportDesk
from examples.support_desk.handbook import Handbook, load_handbook
from examples.support_desk.traffic import Request
from tracemill.curation.chat import ChatModel
from tracemill.curation.environment import Environment, ToolReply
from tracemill.curation.episode import EpisodeResult, EpisodeStart, Sampling, run_episodes
from tracemill.ingest.trace import Message, ModelRef, ToolSpec
from tracemill.record import content_id

INSTRUCTIONS = "You run the support desk of a store."
SAMPLING = Sampling(max_tokens=64, batch_size=32)


@dataclass(frozen=True)
class Served:
    """One request, and how it went."""

    request: Request
    trace_id: str
    """32 hex digits, as OpenTelemetry has them."""
    model: ModelRef
    prompt: tuple[Message, ...]
    result: EpisodeResult
    verdict: float
    """The desk's: 1 where the request was fulfilled."""
    started_at: datetime

    @property
    def ended_at(self) -> datetime:
        """When the last step was over."""
        return self.started_at + timedelta(seconds=sum(step.seconds for step in self.result.steps))


class _ClosedDesk:
    """The desk while its systems are down: the tools answer, but only that."""

    def __init__(self, desk: Environment) -> None:
        self._desk = desk

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        return self._desk.tools

    def reset(self, state: JsonValue) -> None:
        self._desk.reset(state)

    def call(self, name: str, arguments: dict[str, JsonValue]) -> ToolReply:
        return ToolReply("Error: 503 Service Unavailable", is_error=True)

    def verdict(self) -> float:
        return self._desk.verdict()


def prompt_for(text: str, handbook: Handbook) -> tuple[Message, ...]:
    """Return the instructions, the nearest worked example, and what the customer wrote.

    The example is named as OpenAI names such: it is no turn of this conversation.
    """
    example = handbook.nearest(text)
    call = f'{{"name": "{example.call.name}", "arguments": {example.call.arguments_text}}}'
    return (
        Message(role="system", content=INSTRUCTIONS),
        Message(role="system", name="example_user", content=example.request),
        Message(
            role="system", name="example_assistant", content=f"<tool_call>\n{call}\n</tool_call>"
        ),
        Message(role="user", content=text),
    )


def serve(
    model: ChatModel,
    stream: Sequence[Request],
    *,
    now: datetime,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Served, ...]:
    """Return how each request of the stream went; the last one comes in at `now`.

    `progress` hears (ended, of how many).
    """
    handbook = load_handbook()
    desks = [_desk_for(request) for request in stream]
    starts = [
        EpisodeStart(
            messages=prompt_for(request.text, handbook),
            tools=desk.tools,
            environment=desk,
        )
        for request, desk in zip(stream, desks, strict=True)
    ]
    results = run_episodes(model, starts, sampling=SAMPLING, progress=progress)
    opened = now - timedelta(seconds=max((request.seconds for request in stream), default=0.0))
    return tuple(
        Served(
            request=request,
            trace_id=_trace_id(request, model.ref, opened),
            model=model.ref,
            prompt=start.messages,
            result=result,
            verdict=desk.verdict(),
            started_at=opened + timedelta(seconds=request.seconds),
        )
        for request, start, result, desk in zip(stream, starts, results, desks, strict=True)
    )


def _desk_for(request: Request) -> Environment:
    desk: Environment = _ClosedDesk(SupportDesk()) if request.is_outage else SupportDesk()
    desk.reset(request.state.model_dump(mode="json"))
    return desk


def _trace_id(request: Request, model: ModelRef, opened: datetime) -> str:
    identity = [request.conversation, request.number, model.label, opened.isoformat()]
    first, second = (content_id("trace", [half, *identity])[-16:] for half in (0, 1))
    return first + second
