"""ChatEndpoint: a model behind an OpenAI-compatible address, as a ChatModel.

    POST {url}/chat/completions  {"model", "messages", "tools", "seed", "temperature", "max_tokens"}
                              → {"choices": [{"message", "finish_reason"}], "usage"}

Where it does not answer so, the completion has an error and no message: infrastructure.
"""

import os
import time
from collections.abc import Sequence
from http.client import HTTPException
from urllib.request import Request, urlopen

import orjson
from pydantic import BaseModel, Field, JsonValue

from tracemill.curation.chat import ChatRequest, Completion
from tracemill.curation.exports.openai import chat_message
from tracemill.errors import ModelUnavailableError
from tracemill.ingest.trace import FinishReason, Message, ModelRef, ToolCall

_MOST_BYTES = 4_000_000
_REASONS: dict[str, FinishReason] = {
    "stop": "stop",
    "tool_calls": "tool",
    "length": "length",
    "content_filter": "refused",
}


class _Function(BaseModel):
    name: str
    arguments: str = "{}"


class _Call(BaseModel):
    id: str = ""
    function: _Function


class _Said(BaseModel):
    content: str | None = None
    tool_calls: tuple[_Call, ...] | None = None


class _Choice(BaseModel):
    message: _Said
    finish_reason: str | None = None


class _Usage(BaseModel):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Answer(BaseModel):
    choices: tuple[_Choice, ...] = Field(min_length=1)
    usage: _Usage | None = None


class ChatEndpoint:
    """The model `name` at `url`, which begins with http:// or https:// and often ends in /v1."""

    def __init__(
        self, url: str, name: str, *, key_variable: str | None = None, seconds: float = 60.0
    ) -> None:
        """Take the key from the environment variable `key_variable`, where one is named."""
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"{url!r} is no http address: name one that begins with http(s)://")
        self._address = f"{url.rstrip('/')}/chat/completions"
        self._name = name
        self._key_variable = key_variable
        self._seconds = seconds

    @property
    def ref(self) -> ModelRef:
        """The model's name; an endpoint tells no version."""
        return ModelRef(name=self._name)

    def complete(
        self, requests: Sequence[ChatRequest], *, seed: int, temperature: float, max_tokens: int
    ) -> tuple[Completion, ...]:
        """Return one completion for each request, in order, asked one after the other."""
        sampling: dict[str, JsonValue] = {
            "seed": seed,
            "temperature": temperature,
            "max_tokens": max_tokens,
        }
        return tuple(self._complete(request, sampling) for request in requests)

    def _complete(self, request: ChatRequest, sampling: dict[str, JsonValue]) -> Completion:
        began = time.monotonic()
        try:
            answer = self._ask(request, sampling)
        except (OSError, HTTPException, ValueError, ModelUnavailableError) as error:
            told = f"{self._address} gave no answer of the form wanted: {error}"
            return Completion(None, "error", 0, 0, time.monotonic() - began, told)
        choice, usage = answer.choices[0], answer.usage or _Usage()
        return Completion(
            _message(choice.message),
            _REASONS.get(choice.finish_reason or "", "unknown"),
            usage.prompt_tokens,
            usage.completion_tokens,
            time.monotonic() - began,
        )

    def _ask(self, request: ChatRequest, sampling: dict[str, JsonValue]) -> _Answer:
        messages: list[JsonValue] = [chat_message(message) for message in request.messages]
        body: dict[str, JsonValue] = {"model": self._name, "messages": messages, **sampling}
        if request.tools:
            body["tools"] = [tool.to_chat() for tool in request.tools]
        asked = Request(self._address, data=orjson.dumps(body))  # noqa: S310 - http, as checked above
        asked.add_header("Content-Type", "application/json")
        if self._key_variable is not None:
            # unredirected: another host that the endpoint points to must not learn the key
            asked.add_unredirected_header("Authorization", f"Bearer {_key(self._key_variable)}")
        with urlopen(asked, timeout=self._seconds) as response:  # noqa: S310 - as checked above
            return _Answer.model_validate_json(response.read(_MOST_BYTES))


def _key(variable: str) -> str:
    key = os.environ.get(variable)
    if not key:
        raise ModelUnavailableError(f"there is no key: set {variable} in the environment")
    return key


def _message(said: _Said) -> Message:
    calls = tuple(
        ToolCall(id=call.id, name=call.function.name, arguments=call.function.arguments)
        for call in said.tool_calls or ()
    )
    return Message(role="assistant", content=said.content, tool_calls=calls)
