"""A real MCP server, of the same SDK, in a process of its own."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import active_count
from typing import Any

import pytest

from tests.curation.conversations import ScriptedModel, calls, says, task, trace, user
from tests.curation.test_draft import DONE, drafted
from tracemill.curation.environment import Environment, close_environment, load_environment
from tracemill.curation.mcp_address import parse_address
from tracemill.curation.options import CurationOptions
from tracemill.curation.rollout import Rollout, roll_out
from tracemill.curation.task import EnvironmentCheck, EnvironmentRef, Task, ToolCallCheck
from tracemill.errors import EnvironmentFailedError
from tracemill.ingest.trace import Message

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")

STDIO = f"mcp+stdio:{sys.executable} -m tests.curation.mcp_desk"
JUDGED = "#reset=start_episode&verdict=score&seconds=10"


@contextmanager
def serving() -> Iterator[str]:
    command = [sys.executable, "-m", "tests.curation.mcp_desk", "http"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield f"mcp+http://127.0.0.1:{server.stdout.readline().strip()}/mcp"
        finally:
            server.kill()


@pytest.fixture(scope="module")
def http() -> Iterator[str]:
    with serving() as address:
        yield address


@pytest.fixture(params=["http", "stdio"])
def address(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue("http") if request.param == "http" else STDIO)


def refund(address: str, state: dict[str, Any], *, max_steps: int = 2) -> Task:
    one = task(
        user("refund 332"),
        reference=calls("refund_order", order_id=332),
        checks=(EnvironmentCheck(),),
    )
    place = EnvironmentRef(factory=address, state=state)
    return one.model_copy(update={"environment": place, "max_steps": max_steps})


def roll(message: Message, *tasks: Task) -> tuple[Rollout, ...]:
    return roll_out(ScriptedModel(lambda _: message), tasks)


@pytest.fixture
def desk(address: str) -> Iterator[Environment]:
    environment = load_environment(address + JUDGED)
    environment.reset({"refund": 332})
    yield environment
    close_environment(environment)


def test_tasks_run_behind_an_mcp_server_each_in_a_session_of_its_own(address: str) -> None:
    threads = active_count()

    done, other = roll(
        calls("refund_order", order_id=332),
        refund(address + JUDGED, {"refund": 332}),
        refund(address + JUDGED, {"refund": 9}),
    )

    assert (done.reward, other.reward) == (1.0, 0.0)
    assert active_count() == threads


def test_its_tools_are_the_servers_but_for_those_that_set_up_and_judge(desk: Environment) -> None:
    names = [tool.name for tool in desk.tools]

    assert names == ["refund_order", "cancel_order", "receipt"]
    assert desk.tools[0].description == "Refund an order."
    assert desk.tools[0].parameters["required"] == ["order_id"]
    assert desk.call("score", {}).is_error


def test_a_tools_error_is_the_agents_and_several_parts_are_one_text(desk: Environment) -> None:
    unknown = desk.call("refund_order", {"order_id": 3})
    malformed = desk.call("refund_order", {"order_id": "x"})

    assert (unknown.is_error, malformed.is_error) == (True, True)
    assert "order 3 not found" in unknown.content
    assert desk.call("receipt", {"order_id": 1}) == ("Receipt of 1\nPaid", False)


@pytest.mark.parametrize(
    ("order", "settings", "why"),
    [
        (1, "seconds=10", "did not answer a call of 'cancel_order'"),
        (2, "seconds=1", "timed out"),
        (3, "seconds=10", "503 Service Unavailable"),
    ],
)
def test_a_crash_a_timeout_and_an_outage_behind_it_are_infrastructure(
    order: int, settings: str, why: str
) -> None:
    address = f"{STDIO}#reset=start_episode&verdict=score&{settings}"

    lost = roll(calls("cancel_order", order_id=order), refund(address, {"refund": 332}))[0]

    assert (lost.status, lost.reward) == ("infrastructure", None)
    assert why in lost.reason


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("mcp+http://127.0.0.1:9/mcp", "did not start a session"),
        ("mcp+stdio:no-such-program", "no-such-program"),
        (f"mcp+stdio:{sys.executable} -c 1/0", "wrote 'ZeroDivisionError"),
        ("mcp+stdio:sleep 30#seconds=0.5", "'initialize' timed out"),
        (f"{STDIO}#reset=no_such_tool", "did not answer 'no_such_tool'"),
        (f"{STDIO}#reset=start_episode", "add #verdict=TOOL"),
        (f"{STDIO}#verdict=start_episode", "did not answer 'start_episode'"),
    ],
)
def test_a_server_that_cannot_be_used_is_infrastructure_and_says_why(
    address: str, why: str
) -> None:
    lost = roll(says("done"), refund(address, {"refund": 332}))[0]

    assert (lost.status, lost.reward) == ("infrastructure", None)
    assert why in lost.reason


def test_a_dead_server_is_infrastructure_at_each_later_call_too() -> None:
    with serving() as address:
        environment = load_environment(f"{address}#seconds=2")
        environment.reset(None)

    for _ in range(3):
        with pytest.raises(EnvironmentFailedError, match=f"{address.removeprefix('mcp+')} did not"):
            environment.call("refund_order", {"order_id": 332})
    close_environment(environment)


def test_a_server_without_a_verdict_replies_and_the_calls_are_checked(tmp_path: Any) -> None:
    one = trace(
        user("refund 332"), calls("refund_order", order_id=332), DONE, outcome={"reward": 1.0}
    )

    plain = drafted(tmp_path, one, options=CurationOptions(environment=STDIO)).tasks

    assert isinstance(plain[0].checks[0], ToolCallCheck)
    assert plain[0].environment == EnvironmentRef(factory=STDIO, state=None)
    assert roll(calls("refund_order", order_id=332), plain[0])[0].messages[1].content == (
        '{"status": "done"}'
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("mcp+stdio:", "names no MCP server"),
        ("mcp+ws://host/mcp", "names no MCP server"),
        ("mcp+http://host/mcp#verdit=score", "known are reset, verdict"),
        ("mcp+http://host/mcp#seconds=0", "greater than 0"),
        ("mcp+http://host/mcp#reset", "mcp"),
    ],
)
def test_an_address_that_cannot_be_meant_is_refused_in_the_settings(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        CurationOptions(environment=text)


def test_a_command_is_read_as_a_shell_would_split_it() -> None:
    address = parse_address("mcp+stdio:uvx 'my desk' --port 1#key_variable=K")

    assert address.command == ("uvx", "my desk", "--port", "1")
    assert address.settings.key_variable == "K"
