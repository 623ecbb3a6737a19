"""The checks that TRL does not make: is what was saved what was trained, and did it change?"""

from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from transformers import AutoModelForCausalLM, AutoTokenizer

from tracemill.errors import TrainingFailedError
from tracemill.record import Record
from tracemill.training.chat_template import template_sha256, tokenizer_sha256
from tracemill.training.round import IntegrityReport
from tracemill.training.weights import weight_files

_LOGIT_TOLERANCE = 1e-3
# bfloat16 alone moves 0.04 with SmolLM2-135M; the training itself moves 0.3.
_MERGE_TOLERANCE = 0.15
_PROBE_TOKENS = 64


class SavedDifference(Record):
    """How far a saved model is from the one that was trained, on a probe."""

    logits: float
    """Largest difference between the merged model and the same one reloaded."""
    merge_shift: float
    """Mean total variation distance (0 to 1) of next-token distributions, before and after
    merging adapters: what rounding to the weights' own precision moves."""


def compare_saved(trained: Any, merged: Any, folder: Path) -> SavedDifference:
    """Return the differences between trained, merged and saved model.

    Raises TrainingFailedError where they are more than rounding.
    """
    reloaded = AutoModelForCausalLM.from_pretrained(folder, dtype="auto", use_safetensors=True)
    before, after, saved = (_logits(model) for model in (trained, merged, reloaded))
    shift = (before.softmax(-1) - after.softmax(-1)).abs().sum(-1).mean() / 2
    difference = SavedDifference(
        logits=float((after - saved).abs().max()), merge_shift=float(shift)
    )
    if not (difference.logits <= _LOGIT_TOLERANCE and difference.merge_shift <= _MERGE_TOLERANCE):
        raise TrainingFailedError(
            f"the weights in {folder} answer otherwise than the trained ones (logits differ by "
            f"{difference.logits:g}, merging moved {difference.merge_shift:.1%} of probability): "
            "they must not be used"
        )
    return difference


def verify(candidate: Path, difference: SavedDifference, *, champion: Path) -> IntegrityReport:
    """Return what was found out about the candidate's folder.

    Raises TrainingFailedError where its weights are the champion's or not finite, or where its
    tokenizer or chat template are not the champion's.
    """
    changed = _changed_share(candidate, champion)
    if changed == 0:
        raise TrainingFailedError(
            "no weight changed: the learning rate is too low for the weights' precision"
        )
    ours, theirs = (AutoTokenizer.from_pretrained(path) for path in (candidate, champion))
    report = IntegrityReport(
        weights_changed_share=changed,
        max_logit_difference=difference.logits,
        merge_shift=difference.merge_shift,
        has_same_tokenizer=tokenizer_sha256(ours) == tokenizer_sha256(theirs),
        has_same_chat_template=template_sha256(ours) == template_sha256(theirs),
    )
    if not (report.has_same_tokenizer and report.has_same_chat_template):
        raise TrainingFailedError(
            f"{candidate} has another tokenizer or chat template than the champion in {champion}"
        )
    return report


def _changed_share(candidate: Path, champion: Path) -> float:
    before, after = _tensor_files(champion), _tensor_files(candidate)
    if before.keys() != after.keys():
        odd = sorted(before.keys() ^ after.keys())
        raise TrainingFailedError(f"the candidate's tensors are not the champion's: {odd[:3]}")
    changes = [
        _is_changed(name, before[name], after[name])
        for name in sorted(before)
        if _is_matrix(name, before[name])
    ]
    return sum(changes) / max(1, len(changes))


def _tensor_files(folder: Path) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for file in weight_files(folder):
        with safe_open(file, framework="pt") as tensors:
            found.update(dict.fromkeys(tensors.keys(), file))
    return found


def _is_matrix(name: str, file: Path) -> bool:
    with safe_open(file, framework="pt") as tensors:
        return len(tensors.get_slice(name).get_shape()) > 1


def _is_changed(name: str, before: Path, after: Path) -> bool:
    with safe_open(before, framework="pt") as old, safe_open(after, framework="pt") as new:
        trained = new.get_tensor(name)
        if not torch.isfinite(trained).all():
            raise TrainingFailedError(f"the trained weights in {name!r} are not finite")
        return not torch.equal(old.get_tensor(name), trained)


def _logits(model: Any) -> torch.Tensor:
    """Return the logits [position, vocabulary] of a fixed probe."""
    generator = torch.Generator().manual_seed(0)
    probe = torch.randint(model.config.vocab_size, (1, _PROBE_TOKENS), generator=generator)
    with torch.inference_mode():
        logits: torch.Tensor = model.eval()(input_ids=probe.to(model.device)).logits[0]
        return logits.float().cpu()
