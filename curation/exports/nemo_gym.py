"""NeMo Gym's JSONL: one decision a row, scored by its stock single-step server.

The server `single_step_tool_use_with_argument_comparison` compares the model's calls with
`expected_action`; of a message it only asks that it is one. Texts of several words it compares by
how many words they share: with `word_count_similarity_threshold: 0.5` in its configuration they must
be equal, as they must here (its own 0.1 lets other texts pass).

History goes as items of OpenAI's Responses API and tools are flat; the chat forms of both would
pass its parser and not be understood.
"""

from collections.abc import Iterator

from pydantic import JsonValue

from tracemill.curation.task import (
    AnswerCheck,
    Check,
    EnvironmentCheck,
    LimitCheck,
    NoErrorCheck,
    SchemaCheck,
    Task,
    ToolCallCheck,
)
from tracemill.ingest.trace import Message, ToolCall, ToolSpec

Line = dict[str, JsonValue]


def can_score(task: Task, check: Check) -> bool:
    """Return whether the server's comparison says of a rollout no more than the check does.

    The reference passes every check; what follows from making its calls is scored by comparing.
    """
    match check:
        case ToolCallCheck() | SchemaCheck() | NoErrorCheck():
            return True
        case EnvironmentCheck():
            return bool(task.reference.tool_calls)
        case LimitCheck():
            return check.max_tokens is None
        case AnswerCheck():
            return not check.contains.strip()
        case _:
            return False


def task_line(task: Task) -> Line:
    """Return the task as a row: what is asked, and the action that is wanted."""
    items: list[JsonValue] = [item for message in task.prompt for item in _items(message)]
    return {
        "responses_create_params": {
            "input": items,
            "tools": [_tool(tool) for tool in task.tools],
            "parallel_tool_calls": False,
        },
        "expected_action": _action(task.reference),
        "verifier_metadata": {
            "task_id": task.id,
            "slice": task.slice,
            "failure_mode": task.failure_mode,
            "source_traces": [source.trace_id for source in task.sources],
        },
    }


def _items(message: Message) -> Iterator[Line]:
    """The message as Responses items: its text, then its calls, or a call's output."""
    if message.role == "tool":
        yield {
            "type": "function_call_output",
            "call_id": message.tool_call_id or "",
            "output": message.content or "",
        }
        return
    if message.content or not message.tool_calls:
        yield {"role": message.role, "content": message.content or ""}
    for call in message.tool_calls:
        yield {**_call(call), "call_id": call.id}


def _call(call: ToolCall) -> Line:
    return {"type": "function_call", "name": call.name, "arguments": call.arguments}


def _action(reference: Message) -> Line:
    calls = [_call(call) for call in reference.tool_calls]
    if not calls:
        return {"type": "message", "content": reference.content or ""}
    if len(calls) == 1:
        return calls[0]
    batch: list[JsonValue] = [*calls]
    return {"type": "function_call_batch", "calls": batch}


def _tool(tool: ToolSpec) -> Line:
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters or {"type": "object", "properties": {}},
        "strict": False,
    }
