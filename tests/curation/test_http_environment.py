import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from tests.curation.conversations import ScriptedModel, calls, task, user
from tests.curation.refund_desk import TOOLS, RefundDesk
from tracemill.curation.environment import load_environment
from tracemill.curation.rollout import Rollout, roll_out
from tracemill.curation.task import EnvironmentCheck, EnvironmentRef, Task
from tracemill.errors import EnvironmentFailedError


class DeskHandler(BaseHTTPRequestHandler):
    """The refund desk of the other tests, over HTTP."""

    sessions: dict[str, RefundDesk]

    def do_GET(self) -> None:
        self._answer([tool.model_dump() for tool in TOOLS])

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        try:
            self._answer(self._do(self.path, asked))
        except ConnectionError:
            self.send_error(503)

    def _do(self, path: str, asked: dict[str, Any]) -> object:
        if path == "/reset":
            desk = RefundDesk()
            desk.reset(asked["state"])
            self.sessions[str(len(self.sessions))] = desk
            return {"session": str(len(self.sessions) - 1)}
        desk = self.sessions[asked["session"]]
        if path == "/verdict":
            return {"verdict": desk.verdict()}
        return desk.call(asked["name"], asked["arguments"])._asdict()

    def _answer(self, content: object) -> None:
        body = json.dumps(content).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing on the terminal."""


@pytest.fixture
def address() -> Iterator[str]:
    handler = type("Desk", (DeskHandler,), {"sessions": {}})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def refund(address: str, state: dict[str, int | bool]) -> Task:
    one = task(
        user("refund 332"),
        reference=calls("refund_order", order_id=332),
        checks=(EnvironmentCheck(),),
    )
    place = EnvironmentRef(factory=address, state=dict(state))
    return one.model_copy(update={"environment": place, "max_steps": 2})


def roll(*tasks: Task) -> tuple[Rollout, ...]:
    return roll_out(ScriptedModel(lambda _: calls("refund_order", order_id=332)), tasks)


def test_tasks_run_in_an_environment_behind_http_each_in_its_own_session(address: str) -> None:
    done, other = roll(refund(address, {"refund": 332}), refund(address, {"refund": 9}))

    assert (done.reward, other.reward) == (1.0, 0.0)
    assert [tool.name for tool in load_environment(address).tools] == [
        "refund_order",
        "cancel_order",
    ]


def test_a_server_that_fails_or_is_not_there_is_infrastructure(address: str) -> None:
    failing, absent = roll(refund(address, {"is_down": True}), refund("http://127.0.0.1:9", {}))

    assert {failing.status, absent.status} == {"infrastructure"}
    assert (failing.reward, absent.reward) == (None, None)
    assert f"{address}/reset" in failing.reason


def test_an_answer_of_another_form_is_infrastructure(address: str) -> None:
    environment = load_environment(f"{address}/other")

    with pytest.raises(EnvironmentFailedError, match="did not answer as it should"):
        environment.reset({})
