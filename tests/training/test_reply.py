import pytest
from transformers import AutoTokenizer
from trl.chat_template_utils import parse_response

from tests.fixtures.tiny_world import TINY_AGENT
from tracemill.training.reply import finish_reason, read_reply

CALL = '<tool_call>\n{"name": "cancel_order", "arguments": {"order_id": 7}}\n</tool_call>'


@pytest.mark.parametrize(
    "text",
    [
        f"{CALL}<|im_end|>",
        f"{CALL}{CALL}<|im_end|>",
        f"Gladly. {CALL}<|im_end|>",
        "Done.<|im_end|>",
        '<tool_call>\n{"name": "cancel_order", "arguments": {"order_id": }}\n</tool_call><|im_end|>',
        '<tool_call>\n{"name": "cancel_order"}\n</tool_call><|im_end|>',
        '<tool_call>\n{"name": "cancel_or',
        "<|im_end|>",
    ],
)
def test_a_reply_is_read_as_training_reads_it(text: str) -> None:
    tokenizer = AutoTokenizer.from_pretrained(TINY_AGENT)
    prompt = tokenizer("<|im_start|>assistant\n")["input_ids"]
    written = tokenizer(text)["input_ids"]

    ours = read_reply(tokenizer, written, prompt_ids=prompt)
    theirs = parse_response(tokenizer, written, prefix=prompt)

    assert ours.content == theirs["content"].strip()
    assert [(call.name, call.parsed()) for call in ours.tool_calls] == [
        (call["function"]["name"], call["function"]["arguments"])
        for call in theirs.get("tool_calls", [])
    ]


def test_a_call_whose_arguments_are_no_object_is_text() -> None:
    tokenizer = AutoTokenizer.from_pretrained(TINY_AGENT)
    prompt = tokenizer("<|im_start|>assistant\n")["input_ids"]
    text = '<tool_call>\n{"name": "cancel_order", "arguments": "all"}\n</tool_call>'

    message = read_reply(tokenizer, tokenizer(text)["input_ids"], prompt_ids=prompt)

    assert message.tool_calls == ()
    assert "cancel_order" in (message.content or "")
    assert finish_reason(message, is_ended=True) == "stop"
