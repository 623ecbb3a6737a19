import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pydantic import ValidationError

from tests.curation.conversations import ScriptedModel, calls, reply, says, task, user
from tracemill.curation.check_result import CheckResult
from tracemill.curation.rollout import Rollout, roll_out
from tracemill.curation.sandbox import run_command
from tracemill.curation.task import CheckFile, CommandCheck, CommandLimits, Task
from tracemill.errors import CheckNotRunError
from tracemill.ingest.trace import Message

MADE = (calls("refund_order", order_id=332), reply("ok"), says("Refunded order 332."))


def python(code: str, *files: CheckFile, **limits: float) -> CommandCheck:
    return CommandCheck(
        name="own",
        command=(sys.executable, "-S", "-c", code),
        files=files,
        limits=CommandLimits.model_validate(limits),
    )


def ran(check: CommandCheck, *messages: Message) -> CheckResult:
    try:
        return run_command(check, messages or MADE)
    except CheckNotRunError as error:
        if "no network namespace" in str(error):
            pytest.skip(str(error))
        raise


def rolled_out(check: CommandCheck) -> Rollout:
    one = task(user("refund 332"), reference=says("done"), checks=(check,))
    return roll_out(ScriptedModel(lambda _: says("done")), [one])[0]


def test_a_command_reads_the_rollout_and_its_own_files() -> None:
    code = (
        "import json; told = json.load(open('rollout.json')); wanted = open('wanted.txt').read()\n"
        "assert told == {'answer': wanted, 'calls': [{'name': 'refund_order', 'arguments': {'order_id': 332}}]}"
    )

    found = ran(python(code, CheckFile(name="wanted.txt", content="Refunded order 332.")))

    assert found == CheckResult(check="command own", passed=True)


def test_a_command_that_exits_otherwise_fails_with_what_it_said() -> None:
    found = ran(python("print('wrong order'); raise SystemExit(3)"))

    assert found == CheckResult(
        check="command own", passed=False, detail="exit code 3: wrong order\n"
    )


def test_no_shell_reads_the_arguments(tmp_path: Path) -> None:
    mark = tmp_path / "mark"

    found = ran(CommandCheck(name="echo", command=("echo", f"$(touch {mark}); touch {mark}")))

    assert found.detail.startswith("$(touch")
    assert not mark.exists()


def test_a_command_reaches_no_server_of_this_machine() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        socket.create_connection(("127.0.0.1", port)).close()
        found = ran(python(f"import socket; socket.create_connection(('127.0.0.1', {port}), 2)"))

    assert not found.passed
    assert "Error" in found.detail


def test_a_command_sees_none_of_our_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUR_KEY", "secret")

    found = ran(python("import os; print(sorted(os.environ), os.getcwd() == os.environ['HOME'])"))

    assert found.detail.startswith("['HOME', 'LANG'")
    assert "OUR_KEY" not in found.detail
    assert "True" in found.detail


@pytest.mark.parametrize(
    ("code", "limits"),
    [
        ("x = bytearray(200_000_000)", {"memory_mb": 100}),
        ("open('big', 'wb').write(bytes(2_000_000))", {"file_mb": 1}),
        ("while True: pass", {"cpu_seconds": 1}),
    ],
)
def test_a_command_that_uses_too_much_fails(code: str, limits: dict[str, float]) -> None:
    assert ran(python("pass", **limits)).passed
    assert ran(python(code, **limits)).detail.startswith("exit code ")


def test_the_number_of_processes_is_limited() -> None:
    code = "import resource; print(resource.getrlimit(resource.RLIMIT_NPROC))"

    assert ran(python(code, processes=7)).detail == "(7, 7)\n"


def test_time_ends_a_command_and_what_it_left_behind(tmp_path: Path) -> None:
    alive = tmp_path / "alive"
    code = (
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        f"    while True: open({str(alive)!r}, 'a').write('.'); time.sleep(0.05)\n"
        "time.sleep(60)"
    )

    found = ran(python(code, seconds=1.5))

    assert found.detail.startswith("over 1.5 s")
    written = alive.stat().st_size
    time.sleep(0.3)
    assert alive.stat().st_size == written > 0


def test_a_command_that_ends_leaves_no_process(tmp_path: Path) -> None:
    alive = tmp_path / "alive"
    code = (
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        f"    while True: open({str(alive)!r}, 'a').write('.'); time.sleep(0.05)\n"
        "time.sleep(0.5)"
    )

    assert ran(python(code, seconds=20)).passed

    written = alive.stat().st_size
    time.sleep(0.3)
    assert alive.stat().st_size == written > 0


def test_output_is_capped() -> None:
    assert len(ran(python("print('x' * 5_000_000)", output_chars=50)).detail) == 50


def test_its_folder_is_gone_afterwards() -> None:
    folder = ran(python("import os; print(os.getcwd())")).detail.strip()

    assert folder.startswith(os.path.realpath(os.path.dirname(folder)))
    assert not Path(folder).exists()


def test_a_command_that_cannot_be_started_is_unscorable_never_a_zero() -> None:
    ran(python("pass"))

    rollout = rolled_out(CommandCheck(name="gone", command=("no-such-program",)))

    assert (rollout.status, rollout.reward) == ("unscorable", None)
    assert "'gone' was not run: 'no-such-program' cannot be started" in rollout.reason


def test_where_no_namespace_is_permitted_a_rollout_is_unscorable_never_a_zero() -> None:
    ran(python("pass"))
    code = (
        "import sys; from tests.curation.test_sandbox import python, rolled_out\n"
        "found = rolled_out(python('pass'))\n"
        "sys.exit(f'{found.status} {found.reward} {found.reason}')"
    )
    forbid = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"'

    ended = subprocess.run(
        [
            "unshare",
            "--user",
            "--map-root-user",
            "sh",
            "-c",
            forbid,
            "sh",
            sys.executable,
            "-c",
            code,
        ],
        capture_output=True,
        check=False,
        text=True,
    )

    assert ended.stderr.startswith("unscorable None check 'own' was not run: no network namespace")


def test_a_command_scores_a_rollout() -> None:
    ran(python("pass"))

    assert rolled_out(python("pass")).passed
    assert rolled_out(python("raise SystemExit(1)")).reward == 0.0


@pytest.mark.parametrize("name", ["../up", "/etc/x", "a/b", ".hidden", ""])
def test_a_file_stays_in_the_folder(name: str) -> None:
    with pytest.raises(ValidationError):
        CheckFile(name=name, content="")


def test_a_task_with_a_command_is_read_back_as_it_was_written() -> None:
    one = task(user("hi"), reference=says("hello"), checks=(python("pass"),))

    assert Task.from_json(one.to_json()) == one
