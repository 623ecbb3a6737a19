"""Clerk: a model that knows what to say, so that the desk is tested without one that must learn."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from examples.support_desk.agent import Served, serve
from examples.support_desk.traffic import Request, requests
from tracemill.curation.chat import ChatRequest, Completion
from tracemill.ingest.trace import Message, ModelRef, ToolCall

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


class Clerk:
    """Answers each customer by the function it is given."""

    def __init__(self, answer: Callable[[str], Message]) -> None:
        self._answer = answer

    @property
    def ref(self) -> ModelRef:
        return ModelRef(name="support-desk", version="3")

    def complete(
        self, requests: Sequence[ChatRequest], *, seed: int, temperature: float, max_tokens: int
    ) -> tuple[Completion, ...]:
        answers = [self._answer(request.messages[-1].content or "") for request in requests]
        return tuple(
            Completion(answer, "tool" if answer.tool_calls else "stop", 200, 36, 1.5)
            for answer in answers
        )


def right_call(request: Request) -> Message:
    wish = request.state.wish
    return calling(wish.name, wish.arguments_text)


def calling(tool: str, arguments: str) -> Message:
    return Message(
        role="assistant", tool_calls=(ToolCall(id="call_0", name=tool, arguments=arguments),)
    )


def serve_rightly(count: int, *, seed: int = 1) -> tuple[Served, ...]:
    stream = requests(count, seed=seed)
    answers = {request.text: right_call(request) for request in stream}
    return serve(Clerk(answers.__getitem__), stream, now=NOON)


def serve_saying(answer: Message, *, count: int = 40, seed: int = 1) -> tuple[Served, ...]:
    return serve(Clerk(lambda text: answer), requests(count, seed=seed), now=NOON)
