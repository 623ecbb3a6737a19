"""LocalModel: a Hugging Face folder as a ChatModel, on this machine's CPU or GPU."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from jinja2 import TemplateError
from transformers import AutoModelForCausalLM, AutoTokenizer

from tracemill.curation.chat import ChatRequest, Completion
from tracemill.errors import ModelUnavailableError
from tracemill.ingest.trace import ModelRef
from tracemill.training.chat_template import RESPONSE_TEMPLATE
from tracemill.training.generate import Continuation, Decoding, generate
from tracemill.training.reply import finish_reason, read_reply


class LocalModel:
    """A model loaded from safetensors, with its folder's own chat and response template."""

    def __init__(
        self,
        path: Path,
        ref: ModelRef,
        *,
        threads: int | None = None,
        batch_size: int = 32,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        """Load the model of `path`; ModelUnavailableError where it cannot be.

        `threads` is of the whole process (torch's); `progress` hears (done, total) of each call.
        """
        if threads is not None:
            torch.set_num_threads(threads)
        try:
            self.tokenizer = AutoTokenizer.from_pretrained(path)
            self.model = _load(path)
        except (OSError, ValueError) as error:
            raise ModelUnavailableError(f"no model can be loaded from {path}: {error}") from error
        if not self.tokenizer.chat_template:
            raise ModelUnavailableError(
                f"the tokenizer in {path} has no chat template: give it one with "
                "tracemill.training.chat_template.install_chat_template"
            )
        if getattr(self.tokenizer, "response_template", None) is None:
            self.tokenizer.response_template = RESPONSE_TEMPLATE
        self._ref, self._batch_size, self._progress = ref, batch_size, progress

    @property
    def ref(self) -> ModelRef:
        """The model's name and version, as traces and scorecards record it."""
        return self._ref

    def complete(
        self, requests: Sequence[ChatRequest], *, seed: int, temperature: float, max_tokens: int
    ) -> tuple[Completion, ...]:
        """Return one completion for each request, in order. `temperature` 0 is greedy.

        A request that cannot be rendered, or leaves no room in the model's context, is answered
        with an error. `Completion.seconds` counts from the start of the request's batch.
        """
        prompts = [self._render(request, max_tokens) for request in requests]
        renderable = [prompt for prompt in prompts if isinstance(prompt, list)]
        if not renderable:
            return tuple(_refused(prompt) for prompt in prompts if isinstance(prompt, str))
        continuations = iter(
            generate(
                self.model,
                renderable,
                decoding=self._decoding(seed, temperature, max_tokens),
                batch_size=self._batch_size,
                progress=self._progress,
            )
        )
        return tuple(
            _refused(prompt)
            if isinstance(prompt, str)
            else self._read(request, prompt, next(continuations))
            for request, prompt in zip(requests, prompts, strict=True)
        )

    def _render(self, request: ChatRequest, max_tokens: int) -> list[int] | str:
        """Return the prompt's tokens, or why there are none."""
        try:
            encoded = self.tokenizer.apply_chat_template(
                [message.to_chat() for message in request.messages],
                tools=[tool.to_chat() for tool in request.tools] or None,
                add_generation_prompt=True,
                return_dict=True,
            )
        except (TemplateError, TypeError, ValueError) as error:
            return f"the chat template cannot render the request: {error}"
        token_ids: list[int] = encoded["input_ids"]
        context = getattr(self.model.config, "max_position_embeddings", None)
        if context is not None and len(token_ids) + max_tokens > context:
            return (
                f"prompt of {len(token_ids)} tokens and {max_tokens} new ones exceed the model's "
                f"context of {context}"
            )
        return token_ids

    def _decoding(self, seed: int, temperature: float, max_tokens: int) -> Decoding:
        eos = self.model.generation_config.eos_token_id
        ends = eos if isinstance(eos, list) else [eos]
        end_ids = {int(end) for end in (*ends, self.tokenizer.eos_token_id) if end is not None}
        return Decoding(
            seed=seed,
            temperature=temperature,
            max_tokens=max_tokens,
            end_ids=frozenset(end_ids),
            pad_id=self.tokenizer.pad_token_id or 0,
        )

    def _read(
        self, request: ChatRequest, prompt: list[int], continuation: Continuation
    ) -> Completion:
        earlier = sum(len(message.tool_calls) for message in request.messages)
        message = read_reply(
            self.tokenizer, continuation.token_ids, prompt_ids=prompt, first_call=earlier
        )
        return Completion(
            message=message,
            finish_reason=finish_reason(message, is_ended=continuation.is_ended),
            prompt_tokens=len(prompt),
            completion_tokens=len(continuation.token_ids),
            seconds=continuation.seconds,
        )


def _refused(reason: str) -> Completion:
    return Completion(None, "error", 0, 0, 0.0, error=reason)


def _load(path: Path) -> Any:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = AutoModelForCausalLM.from_pretrained(path, dtype="auto", use_safetensors=True)
    if device == "cpu" and model.dtype == torch.bfloat16 and not has_fast_bfloat16():
        model = model.float()
    return model.to(device).eval()


def has_fast_bfloat16() -> bool:
    """Return whether this CPU multiplies bfloat16 natively; without, it is slower than float32."""
    return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
