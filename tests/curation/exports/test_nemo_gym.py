"""Our rows before NeMo Gym's own stock single-step server: its models read them, it scores them."""

import asyncio
from typing import Any

import orjson
import pytest

from tests.curation.conversations import calls, reply, says, task, user
from tracemill.curation.checks import score
from tracemill.curation.exports.nemo_gym import can_score, task_line
from tracemill.curation.task import AnswerCheck, Task
from tracemill.ingest.trace import Message

SERVER = "resources_servers.single_step_tool_use_with_argument_comparison"
WHY = "nemo-gym is not installed: pip install nemo-gym (it wants Python 3.13.14 or later)"
RIGHT = calls("refund_order", order_id=332, note="as the customer wants it")
WRONG = calls("refund_order", order_id=331, note="as the customer wants it")
REWORDED = calls("refund_order", order_id=332, note="as the customer has wanted")
SECOND = calls("cancel_order", order_id=9, id_="c2").tool_calls
BOTH = RIGHT.model_copy(update={"tool_calls": (*RIGHT.tool_calls, *SECOND)})
ONE_CALL = task(
    user("two things"), calls("cancel_order", order_id=1), reply("done"), says("And?"),
    user("refund 332"), reference=RIGHT,
)  # fmt: skip
TWO_CALLS = task(user("refund 332, cancel 9"), reference=BOTH)
WORDS = task(user("hi"), reference=says("hello"), checks=(AnswerCheck(contains=""),))


def response_to(row: dict[str, Any], said: Message) -> dict[str, Any]:
    text = {"type": "output_text", "text": said.content or "", "annotations": []}
    message = {
        "id": "m", "type": "message", "role": "assistant", "status": "completed", "content": [text],
    }  # fmt: skip
    made = [
        {"type": "function_call", "call_id": c.id, "name": c.name, "arguments": c.arguments}
        for c in said.tool_calls
    ]
    return {
        "id": "r", "created_at": 0, "model": "m", "object": "response", "tool_choice": "auto",
        "output": made or [message], "parallel_tool_calls": True,
        "tools": row["responses_create_params"]["tools"],
    }  # fmt: skip


def reward(one: Task, said: Message) -> float:
    """The stock server's reward where the model says this to the row of the task."""
    app = pytest.importorskip(f"{SERVER}.app", reason=WHY, exc_type=ImportError)
    verification = pytest.importorskip(f"{SERVER}.common.verification_utils", reason=WHY)
    clients = pytest.importorskip("nemo_gym.server_utils", reason=WHY)
    comparing = verification.ToolCallComparatorConfig(word_count_similarity_threshold=0.5)
    config = app.SingleStepToolUseArgumentComparisonResourcesServerConfig(
        host="127.0.0.1", port=1, entrypoint="", name="s", tool_call_comparator_config=comparing
    )
    server = app.SingleStepToolUseArgumentComparisonResourcesServer(
        config=config, server_client=clients.ServerClient.model_construct()
    )
    assert all(can_score(one, check) for check in one.checks)
    row: dict[str, Any] = orjson.loads(orjson.dumps(task_line(one)))
    request = app.SingleStepToolUseArgumentComparisonVerifyRequest.model_validate(
        {**row, "response": response_to(row, said)}
    )
    return float(asyncio.run(server.verify(request)).reward)


@pytest.mark.parametrize(
    ("one", "said", "wanted"),
    [
        (ONE_CALL, RIGHT, 1.0),
        (ONE_CALL, WRONG, 0.0),
        (ONE_CALL, REWORDED, 0.0),
        (ONE_CALL, BOTH, 1.0),
        (ONE_CALL, says("refunded"), 0.0),
        (TWO_CALLS, BOTH, 1.0),
        (TWO_CALLS, RIGHT, 0.0),
        (WORDS, says("Good morning"), 1.0),
        (WORDS, RIGHT, 0.0),
    ],
)
def test_the_stock_server_reads_our_rows_and_scores_them_as_their_checks_do(
    one: Task, said: Message, wanted: float
) -> None:
    assert reward(one, said) == wanted
    assert (score(one, [said], None)[1] == 1.0) == (wanted == 1.0)
