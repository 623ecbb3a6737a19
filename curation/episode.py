"""Episode: a model at work, many conversations in lock-step.

Each turn asks the model for all open conversations at once, then makes their tool calls. The
agent that serves live traffic and the rollouts that judge a model both run here. What the
agent does wrong (an unknown tool, arguments that are no JSON) is answered by a tool reply that
says so, as real agent loops do; what fails around it is the episode's `error`.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tracemill.curation.chat import ChatModel, ChatRequest, Completion
from tracemill.curation.checks import FULL, verdict_of
from tracemill.curation.environment import Environment, ToolReply
from tracemill.curation.restore import call_tool
from tracemill.errors import (
    EnvironmentFailedError,
    ModelUnavailableError,
    UnrecordedCallError,
)
from tracemill.ingest.trace import FinishReason, Message, ToolCall, ToolSpec

Ending = Literal["answered", "fulfilled", "max_steps", "truncated", "unrecorded", "infrastructure"]


@dataclass(frozen=True)
class EpisodeStart:
    """A conversation to be continued until it ends."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    environment: Environment | None = None
    """Set up already; it makes the calls. None: the episode ends at its first call."""
    max_steps: int = 1
    """Assistant messages it may take."""
    ends_when_fulfilled: bool = False
    """Whether the environment's full verdict ends the episode."""


@dataclass(frozen=True)
class EpisodeStep:
    """What one assistant message took."""

    message: int
    """Index of the assistant message in `EpisodeResult.messages`."""
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    finish_reason: FinishReason


@dataclass(frozen=True)
class EpisodeResult:
    """How one episode went."""

    messages: tuple[Message, ...]
    """What was added to the start: assistant messages and tool replies."""
    steps: tuple[EpisodeStep, ...]
    ending: Ending
    error: str | None = None
    """What failed around the agent, where `ending` is "infrastructure" or "unrecorded"."""


@dataclass
class _Open:
    """An episode under way."""

    start: EpisodeStart
    index: int
    messages: list[Message] = field(default_factory=list)
    steps: list[EpisodeStep] = field(default_factory=list)

    def closed(self, ending: Ending, error: str | None = None) -> EpisodeResult:
        return EpisodeResult(tuple(self.messages), tuple(self.steps), ending, error)


@dataclass(frozen=True)
class Sampling:
    """How the model is asked."""

    seed: int = 0
    temperature: float = 0.0
    """0 is greedy."""
    max_tokens: int = 128
    batch_size: int = 32
    """Conversations in flight at once."""


def run_episodes(
    model: ChatModel,
    starts: Sequence[EpisodeStart],
    *,
    sampling: Sampling = Sampling(),
    progress: Callable[[int, int], None] | None = None,
) -> tuple[EpisodeResult, ...]:
    """Return one result for each start, in order. `progress` hears (ended, of how many)."""
    waiting = deque(_Open(start, index) for index, start in enumerate(starts))
    in_flight: list[_Open] = []
    ended: dict[int, EpisodeResult] = {}
    while waiting or in_flight:
        while waiting and len(in_flight) < sampling.batch_size:
            in_flight.append(waiting.popleft())
        results = _take_one_step(model, in_flight, sampling)
        ended.update((episode.index, result) for episode, result in results if result)
        in_flight = [episode for episode, result in results if result is None]
        if progress is not None:
            progress(len(ended), len(starts))
    return tuple(ended[index] for index in range(len(starts)))


def run_messages(start: EpisodeStart, messages: Sequence[Message]) -> EpisodeResult:
    """Return what comes of saying these messages one after the other, until the episode ends."""
    episode = _Open(start, 0)
    for message in messages:
        ended = _continue(episode, Completion(message, "stop", 0, 0, 0.0))
        if ended is not None:
            return ended
    return episode.closed("max_steps")


def _take_one_step(
    model: ChatModel, episodes: Sequence[_Open], sampling: Sampling
) -> list[tuple[_Open, EpisodeResult | None]]:
    """Each episode with its result, None where it goes on."""
    requests = [
        ChatRequest((*episode.start.messages, *episode.messages), episode.start.tools)
        for episode in episodes
    ]
    try:
        completions: Iterable[Completion] = model.complete(
            requests,
            seed=sampling.seed,
            temperature=sampling.temperature,
            max_tokens=sampling.max_tokens,
        )
    except ModelUnavailableError as error:
        return [(episode, episode.closed("infrastructure", str(error))) for episode in episodes]
    return [
        (episode, _continue(episode, completion))
        for episode, completion in zip(episodes, completions, strict=True)
    ]


def _continue(episode: _Open, completion: Completion) -> EpisodeResult | None:
    """Add the completion and what its calls gave; the result if that ends the episode."""
    if completion.message is None or completion.error is not None:
        return episode.closed("infrastructure", completion.error or "the model gave no message")
    _record(episode, completion)
    if completion.finish_reason == "length":
        return episode.closed("truncated")
    if not completion.message.tool_calls:
        return episode.closed("answered")
    if episode.start.environment is None:
        return episode.closed("max_steps")
    try:
        return _after_calls(episode, completion.message, episode.start.environment)
    except UnrecordedCallError as error:
        return episode.closed("unrecorded", str(error))
    except EnvironmentFailedError as error:
        return episode.closed("infrastructure", str(error))


def _record(episode: _Open, completion: Completion) -> None:
    episode.steps.append(
        EpisodeStep(
            message=len(episode.messages),
            prompt_tokens=completion.prompt_tokens,
            completion_tokens=completion.completion_tokens,
            seconds=completion.seconds,
            finish_reason=completion.finish_reason,
        )
    )
    if completion.message is not None:
        episode.messages.append(completion.message)


def _after_calls(
    episode: _Open, message: Message, environment: Environment
) -> EpisodeResult | None:
    for call in message.tool_calls:
        reply = _answer(call, environment, episode.start.tools)
        episode.messages.append(
            Message(
                role="tool",
                content=reply.content,
                tool_call_id=call.id,
                name=call.name,
                is_error=reply.is_error,
            )
        )
    if episode.start.ends_when_fulfilled and verdict_of(environment) >= FULL:
        return episode.closed("fulfilled")
    if len(episode.steps) >= episode.start.max_steps:
        return episode.closed("max_steps")
    return None


def _answer(call: ToolCall, environment: Environment, tools: tuple[ToolSpec, ...]) -> ToolReply:
    if not any(tool.name == call.name for tool in tools):
        return ToolReply(f"Error: no tool is named {call.name!r}", is_error=True)
    arguments = call.parsed()
    if arguments is None:
        return ToolReply("Error: the arguments are no JSON object", is_error=True)
    return call_tool(environment, call.name, arguments)
