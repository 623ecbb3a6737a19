"""OpenAI's fine-tuning JSONL: supervised and preference rows. Together takes the same.

Format: platform.openai.com/docs/guides/supervised-fine-tuning and /direct-preference-optimization.
Only the last assistant message is learned: the earlier ones, which may hold the very mistakes of
other rows, have weight 0.
"""

from pydantic import JsonValue

from tracemill.curation.rows import Example, Pair
from tracemill.ingest.trace import Message, ToolSpec

Line = dict[str, JsonValue]


def example_line(row: Example) -> Line:
    """Return the example as a supervised row."""
    earlier: list[JsonValue] = [
        {**chat_message(message), "weight": 0}
        if message.role == "assistant"
        else chat_message(message)
        for message in row.prompt
    ]
    last: Line = {**chat_message(row.completion), "weight": 1}
    return {"messages": [*earlier, last], **_tools(row.tools)}


def pair_line(row: Pair) -> Line:
    """Return the pair as a preference row."""
    prompt: list[JsonValue] = [chat_message(message) for message in row.prompt]
    return {
        "input": {"messages": prompt, **_tools(row.tools)},
        "preferred_output": [chat_message(row.chosen)],
        "non_preferred_output": [chat_message(row.rejected)],
    }


def chat_message(message: Message) -> Line:
    """Return the message as OpenAI endpoints take it: arguments are text."""
    line: Line = {"role": message.role, "content": message.content or ""}
    if message.tool_calls:
        line["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        line["tool_call_id"] = message.tool_call_id
    return line


def _tools(tools: tuple[ToolSpec, ...]) -> Line:
    if not tools:
        return {}
    return {"tools": [tool.to_chat() for tool in tools], "parallel_tool_calls": False}
