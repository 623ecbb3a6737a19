"""TRL's conversational rows, as JSONL: prompt and completion, pairs, and labelled completions.

Read them with `load_dataset("json", …)` or `Dataset.from_list(rows, on_mixed_types="use_json")`:
the default of `from_list` merges the keys of different calls and fills the gaps with nulls.
"""

from collections.abc import Sequence

from pydantic import JsonValue

from tracemill.curation.rows import Example, Pair, Unpaired
from tracemill.ingest.trace import Message, ToolSpec

Line = dict[str, JsonValue]


def example_line(row: Example) -> Line:
    """Return the example as SFTTrainer takes it."""
    return {"prompt": _chat(row.prompt), "completion": _chat([row.completion]), **_tools(row.tools)}


def pair_line(row: Pair) -> Line:
    """Return the pair as DPOTrainer takes it."""
    return {
        "prompt": _chat(row.prompt),
        "chosen": _chat([row.chosen]),
        "rejected": _chat([row.rejected]),
        **_tools(row.tools),
    }


def unpaired_line(row: Unpaired) -> Line:
    """Return the judgement as KTOTrainer takes it."""
    return {
        "prompt": _chat(row.prompt),
        "completion": _chat([row.completion]),
        "label": row.is_good,
        **_tools(row.tools),
    }


def _chat(messages: Sequence[Message]) -> list[JsonValue]:
    return [message.to_chat() for message in messages]


def _tools(tools: tuple[ToolSpec, ...]) -> Line:
    return {"tools": [tool.to_chat() for tool in tools]} if tools else {}
