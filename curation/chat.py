"""ChatModel: anything that continues a conversation, many at once.

A local model (training/local_model.py) and an OpenAI-compatible endpoint both are one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tracemill.ingest.trace import FinishReason, Message, ModelRef, ToolSpec


@dataclass(frozen=True)
class ChatRequest:
    """A conversation to be continued by one assistant message."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]


@dataclass(frozen=True)
class Completion:
    """What the model said."""

    message: Message | None
    """None only together with `error`."""
    finish_reason: FinishReason
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    error: str | None = None
    """Why there is no message: infrastructure, never the agent's failure."""


class ChatModel(Protocol):
    """A model that answers."""

    @property
    def ref(self) -> ModelRef:
        """The model's name and version, as traces and scorecards record it."""
        ...

    def complete(
        self, requests: Sequence[ChatRequest], *, seed: int, temperature: float, max_tokens: int
    ) -> tuple[Completion, ...]:
        """Return one completion for each request, in order. `temperature` 0 is greedy."""
        ...
