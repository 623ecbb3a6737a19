"""Continue many prompts at once, token by token, with one key-value cache for what they share.

Agents' prompts begin alike: the system turn and its tool list. On a CPU that part costs most of
the time, so it is read once and its cache is given to every row of every batch. Rows are sorted by
length, so that little is padded; rows that are done leave the batch.
The result does not depend on who else is in the batch, up to floating-point rounding: greedy rows
take the likeliest token, sampled rows draw from a generator of their own, seeded by prompt and seed.
"""

import copy
import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from transformers import DynamicCache

from tracemill.errors import ModelUnavailableError
from tracemill.training.prefix import shared_prefix

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_CROWDED_SHARE = 0.75


@dataclass(frozen=True)
class Decoding:
    """How the next token is chosen, and when to stop."""

    seed: int
    temperature: float
    """0: the likeliest token."""
    max_tokens: int
    end_ids: frozenset[int]
    pad_id: int


@dataclass(frozen=True)
class Continuation:
    """The tokens that the model wrote after one prompt."""

    token_ids: tuple[int, ...]
    """The end token included where the model wrote one."""
    is_ended: bool
    """Whether the model ended by itself; otherwise `max_tokens` cut it."""
    seconds: float
    """From the start of its batch to its last token."""


@dataclass
class _Row:
    index: int
    prompt: list[int]
    sampler: torch.Generator | None
    token_ids: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class _Prefix:
    token_ids: list[int]
    cache: DynamicCache

    def for_rows(self, count: int) -> DynamicCache:
        cache = copy.deepcopy(self.cache)
        if self.token_ids:
            cache.batch_repeat_interleave(count)
        return cache


class _Batch:
    """Rows in step: their cache, and which cached positions are no padding."""

    def __init__(self, model: "PreTrainedModel", rows: list[_Row], prefix: _Prefix) -> None:
        self.model, self.rows = model, rows
        self.cache = prefix.for_rows(len(rows))
        self.mask = torch.ones(
            (len(rows), len(prefix.token_ids)), dtype=torch.long, device=model.device
        )

    def read(self, token_ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return the logits [row, vocabulary] after these tokens [row, position]."""
        self.mask = torch.cat([self.mask, mask], dim=1)
        positions = (self.mask.cumsum(dim=1) - 1).clamp(min=0)[:, -token_ids.shape[1] :]
        output = self.model(
            input_ids=token_ids,
            attention_mask=self.mask,
            position_ids=positions,
            cache=self.cache,
            use_cache=True,
            logits_to_keep=1,
        )
        logits: torch.Tensor = output.logits[:, -1].float()
        if not torch.isfinite(logits).all():
            raise ModelUnavailableError("the model's logits are not finite: its weights are broken")
        return logits

    def keep(self, kept: list[int]) -> None:
        """Drop all rows but these."""
        indices = torch.tensor(kept, device=self.mask.device)
        self.cache.batch_select_indices(indices)
        self.mask = self.mask[indices]
        self.rows = [self.rows[i] for i in kept]


def generate(
    model: "PreTrainedModel",
    prompts: Sequence[list[int]],
    *,
    decoding: Decoding,
    batch_size: int,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Continuation, ...]:
    """Return the continuation of each prompt, in order. `progress` hears (done, total)."""
    done: dict[int, Continuation] = {}
    with torch.inference_mode():
        prefix = _read_prefix(model, prompts)
        order = sorted(range(len(prompts)), key=lambda index: (len(prompts[index]), index))
        for start in range(0, len(order), batch_size):
            rows = [_make_row(i, prompts[i], decoding) for i in order[start : start + batch_size]]
            _continue(_Batch(model, rows, prefix), len(prefix.token_ids), decoding, done)
            if progress is not None:
                progress(len(done), len(prompts))
    return tuple(done[index] for index in range(len(prompts)))


def _make_row(index: int, prompt: list[int], decoding: Decoding) -> _Row:
    if decoding.temperature <= 0:
        return _Row(index, prompt, None)
    digest = hashlib.sha256(repr((decoding.seed, prompt)).encode()).digest()
    sampler = torch.Generator().manual_seed(int.from_bytes(digest[:8]) >> 1)
    return _Row(index, prompt, sampler)


def _read_prefix(model: "PreTrainedModel", prompts: Sequence[list[int]]) -> _Prefix:
    cache = DynamicCache(config=model.config)
    token_ids = shared_prefix(prompts)
    if not token_ids or not attends_to_everything(model.config):
        return _Prefix([], cache)
    tensor = torch.tensor([token_ids], device=model.device)
    model(input_ids=tensor, cache=cache, use_cache=True, logits_to_keep=1)
    return _Prefix(token_ids, cache)


def attends_to_everything(config: Any) -> bool:
    """Whether a cache cut anywhere is a cache: not so with windows or recurrent layers."""
    kinds = getattr(config, "layer_types", None)
    if kinds is not None:
        return set(kinds) == {"full_attention"}
    return getattr(config, "sliding_window", None) is None


def _continue(
    batch: _Batch, offset: int, decoding: Decoding, done: dict[int, Continuation]
) -> None:
    started = time.perf_counter()
    logits = batch.read(*_left_padded(batch, offset, decoding.pad_id))
    while True:
        tokens = [_choose(logits[i], row, decoding) for i, row in enumerate(batch.rows)]
        for row, token in zip(batch.rows, tokens, strict=True):
            if row.index not in done:
                row.token_ids.append(token)
                _note_end(row, decoding, done, started)
        alive = [i for i, row in enumerate(batch.rows) if row.index not in done]
        if not alive:
            return
        if len(alive) <= _CROWDED_SHARE * len(batch.rows):
            batch.keep(alive)
            tokens = [tokens[i] for i in alive]
        column = torch.tensor(tokens, device=batch.mask.device).unsqueeze(1)
        logits = batch.read(column, torch.ones_like(column))


def _left_padded(batch: _Batch, offset: int, pad_id: int) -> tuple[torch.Tensor, torch.Tensor]:
    rests = [row.prompt[offset:] for row in batch.rows]
    width = max(map(len, rests))
    padded = [[pad_id] * (width - len(rest)) + rest for rest in rests]
    mask = [[0] * (width - len(rest)) + [1] * len(rest) for rest in rests]
    device = batch.mask.device
    return torch.tensor(padded, device=device), torch.tensor(mask, device=device)


def _choose(logits: torch.Tensor, row: _Row, decoding: Decoding) -> int:
    if row.sampler is None:
        return int(logits.argmax())
    shares = torch.softmax(logits.cpu() / decoding.temperature, dim=-1)
    return int(torch.multinomial(shares, 1, generator=row.sampler))


def _note_end(row: _Row, decoding: Decoding, done: dict[int, Continuation], started: float) -> None:
    is_ended = row.token_ids[-1] in decoding.end_ids
    if is_ended or len(row.token_ids) >= decoding.max_tokens:
        seconds = time.perf_counter() - started
        done[row.index] = Continuation(tuple(row.token_ids), is_ended, seconds)
