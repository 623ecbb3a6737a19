"""The chat template of models that come without one that knows tools.

ChatML with a compact tool list, tool calls, tool results and `{% generation %}` markers
(`chat_template.jinja`), and the response template by which transformers reads a reply back into a
message. TRL knows both for its own list of model families only; a model outside that list gets
these. They are saved with the tokenizer, so that training, evaluation and serving render alike.
"""

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from tracemill.errors import SettingsError

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

CHAT_TEMPLATE = Path(__file__).with_name("chat_template.jinja").read_text()

# The schema that `PreTrainedTokenizerBase.parse_response` takes, transformers >= 5.13.
RESPONSE_TEMPLATE = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<|im_start|>assistant\n",
    "fields": {
        "tool_calls": {
            "open": "<tool_call>",
            "close_pattern": r"</tool_call>\s*",
            "repeats": True,
            "content": "json",
            "transform": {"type": "function", "function": "{content}"},
        },
        "content": {"close_pattern": r"<\|im_end\|>\s*", "content": "text"},
    },
}

_END = "<|im_end|>"
_PAD_TOKENS = ("<|endoftext|>", "<|pad|>", "<pad>", "[PAD]", "<unk>")


def install_chat_template(folder: Path) -> None:
    """Give the tokenizer in `folder` this template, in place.

    Raises SettingsError where the tokenizer cannot carry it.
    """
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    set_chat_template(tokenizer)
    tokenizer.save_pretrained(folder)


def set_chat_template(tokenizer: "PreTrainedTokenizerBase") -> None:
    """Set this template on the tokenizer, with `<|im_end|>` as its end and another pad token.

    Padding with the end token would hide the end from the loss: the model would never stop.
    Raises SettingsError where the vocabulary has no `<|im_start|>` and `<|im_end|>`, or nothing to
    pad with.
    """
    vocabulary = tokenizer.get_vocab()
    missing = [token for token in ("<|im_start|>", _END) if token not in vocabulary]
    if missing:
        raise SettingsError(
            f"the tokenizer has no {' and no '.join(missing)}: use a model with a ChatML "
            "vocabulary, or one that brings its own chat template for tools"
        )
    tokenizer.eos_token = _END
    tokenizer.pad_token = _pad_token(tokenizer, vocabulary)
    tokenizer.padding_side = "left"
    tokenizer.chat_template = CHAT_TEMPLATE
    tokenizer.response_template = RESPONSE_TEMPLATE


def _pad_token(tokenizer: "PreTrainedTokenizerBase", vocabulary: dict[str, int]) -> str:
    candidates = (tokenizer.pad_token, *_PAD_TOKENS)
    for token in candidates:
        if token is not None and token in vocabulary and token != _END:
            return str(token)
    raise SettingsError(
        f"the tokenizer has none of {', '.join(_PAD_TOKENS)} to pad with: set its pad_token"
    )


def render_fingerprint(tokenizer: "PreTrainedTokenizerBase") -> str:
    """Return 16 hex digits that are equal where two tokenizers render and cut text alike.

    Of the vocabulary and merges, the special tokens, the chat and the response template.
    """
    identity = {
        "tokenizer": tokenizer_sha256(tokenizer),
        "template": template_sha256(tokenizer),
        "response": getattr(tokenizer, "response_template", None),
    }
    canonical = orjson.dumps(identity, option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(canonical).hexdigest()[:16]


def tokenizer_sha256(tokenizer: "PreTrainedTokenizerBase") -> str:
    """Return the SHA-256 of how the tokenizer cuts text, without padding and truncation."""
    state = orjson.loads(tokenizer.backend_tokenizer.to_str())
    state["padding"] = state["truncation"] = None
    specials = {name: str(token) for name, token in tokenizer.special_tokens_map.items()}
    canonical = orjson.dumps([state, specials], option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(canonical).hexdigest()


def template_sha256(tokenizer: "PreTrainedTokenizerBase") -> str:
    """Return the SHA-256 of the chat template."""
    return hashlib.sha256(str(tokenizer.chat_template).encode()).hexdigest()
