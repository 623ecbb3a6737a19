"""Short ways to write messages, traces, tasks and models in the tests of curation."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import orjson
from pydantic import JsonValue

from tests.curation.refund_desk import TOOLS
from tracemill.curation.chat import ChatRequest, Completion
from tracemill.curation.task import Check, EnvironmentRef, Task, ToolCallCheck, TraceRef
from tracemill.ingest.trace import FinishReason, Message, ModelRef, ToolCall, Trace

MODEL = ModelRef(name="desk", version="1")
DAY = datetime(2026, 3, 1, 12, tzinfo=UTC)
DESK = "tests.curation.refund_desk:RefundDesk"


def user(text: str) -> Message:
    return Message(role="user", content=text)


def says(text: str) -> Message:
    return Message(role="assistant", content=text)


def calls(
    name: str, arguments: JsonValue = None, /, *, id_: str = "c1", **named: JsonValue
) -> Message:
    given = named if arguments is None else arguments
    text = given if isinstance(given, str) else orjson.dumps(given).decode()
    return Message(role="assistant", tool_calls=(ToolCall(id=id_, name=name, arguments=text),))


def reply(text: str, *, id_: str = "c1", is_error: bool | None = None) -> Message:
    return Message(role="tool", tool_call_id=id_, content=text, is_error=is_error)


def trace(*messages: Message, id_: str = "t1", day: int = 0, **fields: object) -> Trace:
    given: dict[str, object] = {"tools": TOOLS, "model": MODEL, "dialect": "test", **fields}
    started = DAY + timedelta(days=day)
    return Trace.model_validate(
        {"id": id_, "messages": messages, "started_at": started, "ended_at": started, **given}
    )


def task(
    *prompt: Message, reference: Message, checks: tuple[Check, ...] = (), **fields: object
) -> Task:
    """A task that wants the reference's call, or what `checks` say."""
    wanted = tuple(
        ToolCallCheck(tool=call.name, arguments=call.parsed() or {})
        for call in reference.tool_calls
    )
    given: dict[str, object] = {
        "id": "task-1",
        "tools": TOOLS,
        "reference_origin": "production",
        "slice": "refund_order",
        "split": "train",
        "group": "u1",
        "sources": (TraceRef(trace_id="t1", revision=1),),
        "seen_at": DAY,
        **fields,
    }
    return Task.model_validate(
        {"prompt": prompt, "reference": reference, "checks": checks or wanted, **given}
    )


def at_the_desk(state: JsonValue) -> EnvironmentRef:
    return EnvironmentRef(factory=DESK, state=state)


class ScriptedModel:
    """A ChatModel that answers by a function of the request; it keeps the batches it was asked."""

    def __init__(
        self,
        answer: Callable[[ChatRequest], Message | None],
        *,
        finish_reason: FinishReason = "stop",
    ) -> None:
        self.answer = answer
        self.finish_reason: FinishReason = finish_reason
        self.batches: list[int] = []

    @property
    def ref(self) -> ModelRef:
        return MODEL

    def complete(
        self, requests: Sequence[ChatRequest], *, seed: int, temperature: float, max_tokens: int
    ) -> tuple[Completion, ...]:
        self.batches.append(len(requests))
        return tuple(self._complete(request) for request in requests)

    def _complete(self, request: ChatRequest) -> Completion:
        message = self.answer(request)
        error = "503 Service Unavailable" if message is None else None
        return Completion(message, self.finish_reason, 10, 5, 0.1, error)
